import './design/tokens.css';
import './design/base.css';
import './design/layout.css';
import './design/parts.css';
import './design/agreement.css';
import './design/author.css';
import './design/evidence.css';
import { QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { LocationProvider } from 'preact-iso';
import { App } from './app.tsx';
import { applyTheme } from './parts/theme.ts';
import { reloadForLinks } from './service/fragmentSecret.ts';
import { queries } from './service/queries.ts';
import { stayHere } from './service/stayHere.ts';
import { language } from './texts/texts.ts';

applyTheme();
reloadForLinks();
stayHere();
document.documentElement.lang = language;
const root = document.getElementById('console');
if (root)
  render(
    <LocationProvider scope="/console">
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </LocationProvider>,
    root,
  );
