/** Small charts of a day: CPU, memory, restarts, with a mark for each death. */
import type { VNode } from 'preact';
import { CHART_HEIGHT, CHART_WIDTH, chartOf, instantX, spikesOf } from '../chart.ts';
import type { LifeDeath, Series } from '../contract.ts';
import { coreWords, countWords, memoryWords } from '../words.ts';
import { Ago } from './clock.tsx';

interface ChartsProps {
  readonly series: Series;
  readonly deaths: readonly Pick<LifeDeath, 'at'>[];
}

export function Charts({ series, deaths }: ChartsProps): VNode {
  const { from, stepMs } = series;
  const steps = Math.max(series.cpu.length, series.memory.length, series.restarts.length);
  const marks = deaths.flatMap(({ at }) => instantX(at, from, stepMs, steps) ?? []);
  const restarts = spikesOf(series.restarts);
  return (
    <div class="charts">
      <LineChart name="CPU" values={series.cpu} series={series} marks={marks} write={coreWords} />
      <LineChart name="Memory" values={series.memory} series={series} marks={marks} write={memoryWords} />
      <figure class="chart">
        <figcaption>
          <b>Restarts</b> <span>{countWords(restarts.sum, 'restart')}</span>
        </figcaption>
        <Drawing words={`Restarts: ${restarts.sum} in this time`}>
          <path class="spikes" d={restarts.line} />
        </Drawing>
      </figure>
    </div>
  );
}

interface LineChartProps {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly series: Pick<Series, 'from' | 'stepMs'>;
  readonly marks: readonly number[];
  readonly write: (value: number) => string;
}

function LineChart({ name, values, series, marks, write }: LineChartProps): VNode {
  const { line, area, peak, last } = chartOf(values, series.from, series.stepMs);
  if (peak === undefined || last === undefined)
    return (
      <figure class="chart">
        <figcaption>
          <b>{name}</b> <span>not known</span>
        </figcaption>
        <Drawing words={`${name}: not known`} />
      </figure>
    );
  return (
    <figure class="chart">
      <figcaption>
        <b>{name}</b> <span>{write(last)}</span>
        <small>
          highest {write(peak.value)}, <Ago at={peak.at} />
        </small>
      </figcaption>
      <Drawing
        words={`${name}: now ${write(last)}, highest ${write(peak.value)}; ${countWords(marks.length, 'death')} marked`}
      >
        <path class="area" d={area} />
        <path class="line" d={line} />
        <path class="marks" d={marks.map((x) => `M${x} 0V${CHART_HEIGHT}`).join('')} />
      </Drawing>
    </figure>
  );
}

function Drawing({ words, children }: { readonly words: string; readonly children?: VNode | readonly VNode[] }): VNode {
  return (
    <svg viewBox={`0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={words}>
      <path class="ground" d={`M0 ${CHART_HEIGHT}H${CHART_WIDTH}`} />
      {children}
    </svg>
  );
}
