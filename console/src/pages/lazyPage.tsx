import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { lazy } from 'preact-iso';
import { Note } from '../parts/note.tsx';
import { TitledPage } from '../parts/titledPage.tsx';
import { texts } from '../texts/texts.ts';

const lookMs = 4_000;

/**
 * A page whose code is loaded when it is first shown. If loading fails, the page says so and appears once the
 * service is back.
 */
export function lazyPage(load: () => Promise<FunctionComponent>): FunctionComponent {
  return lazy<FunctionComponent>(() => load().catch(() => MissingPage));
}

/**
 * A failed module stays failed in this window, and a new version may have other files, so everything is
 * reloaded.
 */
function MissingPage() {
  useEffect(() => {
    const look = async () => {
      const answer = await fetch('/console/settings.json').catch(() => undefined);
      if (answer?.ok) location.reload();
    };
    const timer = setInterval(() => void look(), lookMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <TitledPage title={texts.brand}>
      <Note kind="bad">{texts.failure.notLoaded}</Note>
    </TitledPage>
  );
}
