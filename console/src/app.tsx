import { useEffect, useRef } from 'preact/hooks';
import { ErrorBoundary, Route, Router, useLocation } from 'preact-iso';
import { UnauthorizedError } from '../../client/src/index.ts';
import { EnterPage } from './pages/enterPage.tsx';
import { lazyPage } from './pages/lazyPage.tsx';
import { LoginPage } from './pages/loginPage.tsx';
import { Shell } from './pages/shell.tsx';
import { Failure } from './parts/failure.tsx';
import { Loading } from './parts/loading.tsx';
import { TitledPage } from './parts/titledPage.tsx';
import { useSession } from './service/queries.ts';
import { followSessionChange } from './service/sessionChange.ts';
import { texts } from './texts/texts.ts';

const AgreementsPage = lazyPage(() =>
  import('./pages/agreementsPage.tsx').then((page) => page.AgreementsPage),
);
const AgreementPage = lazyPage(() => import('./pages/agreementPage.tsx').then((page) => page.AgreementPage));
const AuthorPage = lazyPage(() => import('./pages/authorPage.tsx').then((page) => page.AuthorPage));
const AwaitingPage = lazyPage(() => import('./pages/awaitingPage.tsx').then((page) => page.AwaitingPage));
const EventsPage = lazyPage(() => import('./pages/eventsPage.tsx').then((page) => page.EventsPage));
const WebhooksPage = lazyPage(() => import('./pages/webhooksPage.tsx').then((page) => page.WebhooksPage));
const WebhookPage = lazyPage(() => import('./pages/webhookPage.tsx').then((page) => page.WebhookPage));
const RulesPage = lazyPage(() => import('./pages/rulesPage.tsx').then((page) => page.RulesPage));
const KeysPage = lazyPage(() => import('./pages/keysPage.tsx').then((page) => page.KeysPage));
const SharedPage = lazyPage(() => import('./pages/sharedPage.tsx').then((page) => page.SharedPage));

/** A link authenticates its user; everybody else needs a session. */
export function App() {
  const { path } = useLocation();
  if (path === '/console/enter') return <EnterPage />;
  if (/^\/console\/awaiting(\/|$)/.test(path))
    return (
      <ErrorBoundary>
        <AwaitingPage />
      </ErrorBoundary>
    );
  if (path === '/console/sign')
    return (
      <ErrorBoundary>
        <SharedPage />
      </ErrorBoundary>
    );
  return <Inside />;
}

function Inside() {
  useEffect(() => followSessionChange('key'), []);
  const session = useSession();
  const wasOpen = useRef(false);
  if (session.data) wasOpen.current = true;
  if (session.error instanceof UnauthorizedError) return <LoginPage hasEnded={wasOpen.current} />;
  // A failed look at the session of an open page says nothing about it: it is repeated, and the page stays.
  if (session.error && !session.data)
    return (
      <main class="gate">
        <TitledPage title={texts.brand}>
          <Failure error={session.error} onRetry={() => void session.refetch()} />
        </TitledPage>
      </main>
    );
  if (!session.data)
    return (
      <main class="gate">
        <Loading />
      </main>
    );
  return (
    <Shell caller={session.data}>
      <Router>
        <Route path="/console" component={AgreementsPage} />
        <Route path="/console/agreements" component={AgreementsPage} />
        <Route path="/console/agreements/:id" component={AgreementPage} />
        <Route path="/console/author" component={AuthorPage} />
        <Route path="/console/events" component={EventsPage} />
        <Route path="/console/webhooks" component={WebhooksPage} />
        <Route path="/console/webhooks/:id" component={WebhookPage} />
        <Route path="/console/rules" component={RulesPage} />
        <Route path="/console/keys" component={KeysPage} />
        <Route default component={UnknownPage} />
      </Router>
    </Shell>
  );
}

function UnknownPage() {
  return (
    <div class="empty">
      <h1>{texts.unknownPage}</h1>
      <p>
        <a href="/console/agreements">{texts.pages.agreements}</a>
      </p>
    </div>
  );
}
