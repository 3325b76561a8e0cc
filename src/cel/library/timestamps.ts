/** The parts of timestamps and durations. Pure. */
import { partsOf, type TimeParts } from '../values/time.ts';
import { CelError, type Duration, type Timestamp, type Value } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

/** Function, part, what is added to CEL's count from 0, and upstream's name for it. */
const GETTERS: readonly (readonly [string, keyof TimeParts, number, string])[] = [
  ['getFullYear', 'year', 0, 'year'],
  ['getMonth', 'month', 0, 'month'],
  ['getDayOfYear', 'dayOfYear', 0, 'day_of_year'],
  ['getDayOfMonth', 'dayOfMonth', 0, 'day_of_month'],
  ['getDate', 'dayOfMonth', 1, 'day_of_month_1_based'],
  ['getDayOfWeek', 'dayOfWeek', 0, 'day_of_week'],
  ['getHours', 'hours', 0, 'hours'],
  ['getMinutes', 'minutes', 0, 'minutes'],
  ['getSeconds', 'seconds', 0, 'seconds'],
  ['getMilliseconds', 'milliseconds', 0, 'milliseconds'],
];

function getter(part: keyof TimeParts, base: number): (time: Timestamp, zone?: string) => Value | CelError {
  return (time, zone) => {
    const parts = partsOf(time, zone);
    return parts instanceof CelError ? parts : BigInt(parts[part] + base);
  };
}

const DURATIONS: readonly (readonly [string, string, (nanos: bigint) => bigint])[] = [
  ['getHours', 'hours', (nanos) => nanos / 3_600_000_000_000n],
  ['getMinutes', 'minutes', (nanos) => nanos / 60_000_000_000n],
  ['getSeconds', 'seconds', (nanos) => nanos / 1_000_000_000n],
  ['getMilliseconds', 'milliseconds', (nanos) => nanos / 1_000_000n],
];

export const TIMESTAMPS: readonly Overload[] = [
  ...GETTERS.flatMap(([fn, part, base, id]) => [
    overload(`timestamp_to_${id}`, `<timestamp>.${fn}(): int`, getter(part, base)),
    overload(`timestamp_to_${id}_with_tz`, `<timestamp>.${fn}(string): int`, getter(part, base)),
  ]),
  ...DURATIONS.map(([fn, id, read]) =>
    overload(`duration_to_${id}`, `<duration>.${fn}(): int`, ({ nanos }: Duration) => read(nanos)),
  ),
];
