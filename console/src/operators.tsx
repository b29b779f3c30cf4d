import './design/tokens.css';
import './design/base.css';
import './design/layout.css';
import './design/parts.css';
import './design/agreement.css';
import { QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { OperatorsPage } from './operators/operatorsPage.tsx';
import { applyTheme } from './parts/theme.ts';
import { queries } from './service/queries.ts';

applyTheme();
const root = document.getElementById('console');
if (root)
  render(
    <QueryClientProvider client={queries}>
      <OperatorsPage />
    </QueryClientProvider>,
    root,
  );
