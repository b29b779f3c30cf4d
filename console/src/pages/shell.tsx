import { useMutation } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { ThemeChoice } from '../parts/themeChoice.tsx';
import { service } from '../service/client.ts';
import { useLiveEvents } from '../service/liveEvents.ts';
import { queries } from '../service/queries.ts';
import { tellSessionChange } from '../service/sessionChange.ts';
import { texts } from '../texts/texts.ts';

type Caller = Awaited<ReturnType<typeof service.sessions.current>>;
type Scope = keyof Caller['scopes'];

const entries: readonly { page: keyof typeof texts.pages; needs?: readonly Scope[] }[] = [
  { page: 'agreements', needs: ['agreements.read'] },
  { page: 'author', needs: ['agreements.write'] },
  { page: 'awaiting' },
  { page: 'events', needs: ['webhooks.read'] },
  { page: 'webhooks', needs: ['webhooks.read', 'webhooks.write'] },
  { page: 'rules', needs: ['agreements.read'] },
  { page: 'keys' },
];

type ShellProps = { readonly caller: Caller; readonly children: ComponentChildren };

/** The frame around every page of a session: the current page, the navigation, the user. */
export function Shell({ caller, children }: ShellProps) {
  const { path, route } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const may = (scope: Scope) => caller.scopes[scope] === 'free_allowlist';
  useLiveEvents(may('webhooks.read'));
  useEffect(() => setOpen(false), [path]);
  // Logins lead to the agreements. Who may not read them begins with what else is allowed.
  const isStart = path === '/console' || path === '/console/agreements';
  const isElsewhere = isStart && !may('agreements.read');
  const start = entries.find(({ needs }) => needs?.some(may))?.page ?? 'keys';
  useEffect(() => {
    if (isElsewhere) route(`/console/${start}`, true);
  }, [isElsewhere]);
  const current = path.split('/')[2] || 'agreements';
  const leave = useMutation({
    mutationFn: () => service.sessions.end(),
    onSuccess() {
      tellSessionChange('key');
      queries.clear();
      location.assign('/console/agreements');
    },
  });
  return (
    <div class="shell">
      <a class="skip" href="#main">
        {texts.skip}
      </a>
      <header class="rail" data-open={isOpen}>
        <a class="brand" href="/console/agreements">
          {texts.brand}
        </a>
        <button
          type="button"
          class="button menu-button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {texts.menu}
        </button>
        <nav aria-label={texts.menu}>
          <ul>
            {entries
              .filter(({ needs }) => needs === undefined || needs.some(may))
              .map(({ page }) => (
                <li key={page}>
                  <a href={`/console/${page}`} aria-current={current === page ? 'page' : undefined}>
                    {texts.pages[page]}
                  </a>
                </li>
              ))}
          </ul>
        </nav>
        <div class="who small">
          <span dir="auto">{caller.principal.name}</span>
          <ThemeChoice />
          {caller.session && (
            <Button kind="plain" onPress={() => leave.mutate()} disabled={leave.isPending}>
              {texts.leave}
            </Button>
          )}
          {leave.error && <Failure error={leave.error} />}
        </div>
      </header>
      <main class="page" id="main" tabIndex={-1}>
        {!isElsewhere && children}
      </main>
    </div>
  );
}
