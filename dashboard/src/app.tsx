import type { ComponentType } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { keepToken, takeToken } from './data/token.js';
import { type Live, LiveSource } from './live/live.js';
import { ConfirmHost } from './parts/confirm.js';
import { TokenForm } from './parts/token-form.js';
import { type Tab, tabOf } from './route.js';
import { Announcer } from './views/announcer.js';
import { Overview } from './views/overview.js';
import { TopBar } from './views/top-bar.js';

export function App({ token }: { readonly token: string | undefined }) {
  const tab = useTab();
  const [source, live] = useLive(token);
  const useToken = (typed: string) => {
    keepToken(typed, window);
    source.useToken(typed);
  };
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <TopBar tab={tab} live={live} />
      <main id="main" tabIndex={-1}>
        {tab === 'simulator' ? (
          <LazySimulator />
        ) : (
          <LivePage live={live} source={source} onToken={useToken} />
        )}
      </main>
      <Announcer live={live} />
      <ConfirmHost />
    </>
  );
}

interface LivePageProps {
  readonly live: Live;
  readonly source: LiveSource;
  readonly onToken: (token: string) => void;
}

function LivePage({ live, source, onToken }: LivePageProps) {
  const { connection } = live;
  if (connection.kind === 'token') return <TokenForm wasWrong={connection.wasWrong} onToken={onToken} />;
  return <Overview live={live} onSubject={(subject) => source.choose(subject)} />;
}

function useTab(): Tab {
  const [tab, setTab] = useState(() => tabOf(location.hash));
  useEffect(() => {
    const follow = () => setTab(tabOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return tab;
}

function useLive(token: string | undefined): [LiveSource, Live] {
  const [, setLive] = useState<Live | undefined>(undefined);
  const source = useMemo(() => new LiveSource(token, setLive), []);
  useEffect(() => {
    source.start();
    // The address with a new token, opened where the page is already: the browser loads nothing then.
    const follow = () => {
      const taken = takeToken(window);
      if (taken !== undefined && taken !== source.live.token) source.useToken(taken);
    };
    addEventListener('hashchange', follow);
    return () => {
      removeEventListener('hashchange', follow);
      source.stop();
    };
  }, []);
  return [source, source.live];
}

/** Fetched when somebody wants it: it is a third of all script. */
function LazySimulator() {
  const [loaded, setLoaded] = useState<{ readonly Page: ComponentType } | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  useEffect(() => {
    import('./simulator/index.js').then(
      ({ default: Page }) => setLoaded({ Page }),
      (error: unknown) => setProblem(String(error)),
    );
  }, []);
  if (problem !== undefined) return <p class="problem">The simulator could not be fetched: {problem}</p>;
  return loaded === undefined ? <p class="empty">Fetching the simulator …</p> : <loaded.Page />;
}
