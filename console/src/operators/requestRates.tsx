import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
import { readRequestCount } from './facts.ts';
import { RateChart } from './rateChart.tsx';

const words = texts.operators;
const lookMs = 2_000;
const spanMs = 300_000;

/** Requests per second, while the page is open. */
export function RequestRates() {
  const [samples, setSamples] = useState<readonly { readonly at: number; readonly rate: number }[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    let last: { at: number; count: number } | undefined;
    const look = async () => {
      const count = await readRequestCount(stop.signal);
      const at = Date.now();
      // A restarted process counts from 0.
      const rate = last && (Math.max(0, count - last.count) * 1_000) / (at - last.at);
      last = { at, count };
      if (rate !== undefined)
        setSamples((known) => [...known.filter((sample) => at - sample.at < spanMs), { at, rate }]);
    };
    const lookAgain = () => void look().catch(() => undefined);
    lookAgain();
    const timer = setInterval(lookAgain, lookMs);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, []);
  const now = samples.at(-1);
  return (
    <section class="section">
      <div class="section-head">
        <h2>{words.rates}</h2>
        <span class="soft">{now && words.ratesNow(now.rate.toFixed(1))}</span>
      </div>
      <RateChart label={words.ratesLabel} samples={samples} spanMs={spanMs} writeRate={words.rate} />
    </section>
  );
}
