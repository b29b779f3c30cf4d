type Sample = { readonly at: number; readonly rate: number };

type RateChartProps = {
  readonly label: string;
  /** Oldest first; `at` in milliseconds. */
  readonly samples: readonly Sample[];
  /** The time span of the chart's width. */
  readonly spanMs: number;
  readonly writeRate: (rate: number) => string;
};

const [width, height] = [600, 100];
const steps = [1, 0.5, 0];

/** The rate over the last minutes; the present is at the right. */
export function RateChart({ label, samples, spanMs, writeRate }: RateChartProps) {
  const now = samples.at(-1)?.at ?? 0;
  const most = roundUp(Math.max(1, ...samples.map(({ rate }) => rate)));
  const placeY = (part: number) => 2 + (height - 4) * (1 - part);
  const points = samples.map(({ at, rate }) => {
    const x = width * (1 - (now - at) / spanMs);
    return `${x.toFixed(1)} ${placeY(rate / most).toFixed(1)}`;
  });
  return (
    <div class="chart" role="img" aria-label={label}>
      <div class="scale small soft" aria-hidden="true">
        {steps.map((step) => (
          <span key={step}>{writeRate(most * step)}</span>
        ))}
      </div>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {steps.map((step) => (
          <path key={step} class="grid" d={`M0 ${placeY(step)}H${width}`} />
        ))}
        {points.length > 1 && <path class="line" d={`M${points.join('L')}`} />}
      </svg>
    </div>
  );
}

/** The next number with a single non-zero digit, so that the scale stays while the rate moves. */
function roundUp(rate: number): number {
  const unit = 10 ** Math.floor(Math.log10(rate));
  return Math.ceil(rate / unit) * unit;
}
