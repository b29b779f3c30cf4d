import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import { texts } from '../texts/texts.ts';
import { readRequestCount } from './facts.ts';

const words = texts.operators;
const lookMs = 2_000;
const kept = 150;

/** Requests a second, as long as the page is open. */
export function RequestRates() {
  const place = useRef<HTMLDivElement>(null);
  const [now, setNow] = useState<number>();
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const style = getComputedStyle(document.documentElement);
    const line = style.getPropertyValue('color');
    const axis = { stroke: line, grid: { width: 0.3, stroke: line }, ticks: { show: false } };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: 160,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
        axes: [axis, { ...axis, size: 44 }],
        series: [{}, { stroke: line, width: 1.5 }],
      },
      [[], []],
      element,
    );
    const stop = new AbortController();
    const times: number[] = [];
    const rates: number[] = [];
    let last: { at: number; count: number } | undefined;
    const look = async () => {
      const count = await readRequestCount(stop.signal);
      const at = Date.now() / 1_000;
      if (last) {
        // A process that has started again counts from 0.
        const rate = Math.max(0, count - last.count) / (at - last.at);
        times.push(at);
        rates.push(rate);
        if (times.length > kept) [times, rates].map((list) => list.shift());
        plot.setData([times, rates]);
        setNow(rate);
      }
      last = { at, count };
    };
    const timer = setInterval(() => void look().catch(() => undefined), lookMs);
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 160 }));
    resize.observe(element);
    return () => {
      stop.abort();
      clearInterval(timer);
      resize.disconnect();
      plot.destroy();
    };
  }, []);
  return (
    <section class="section">
      <div class="section-head">
        <h2>{words.rates}</h2>
        <span class="soft">{now !== undefined && words.ratesNow(now.toFixed(1))}</span>
      </div>
      <div ref={place} role="img" aria-label={words.ratesLabel} />
    </section>
  );
}
