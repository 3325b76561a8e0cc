/** Names the variable that sets the time within which a program wanted its answer. Pure. */
import type { ContainerFacts } from '../pod/container-facts.ts';
import { ofText, type Variable } from './environment.ts';
import type { Setting } from '../configs/setting.ts';
import { quotable } from '../words/text.ts';

const TIMED_OUT =
  /\btime[d -]{0,2}out\b|\bTimeout(?:Error|Exception)?\b|deadline (?:was |has been )?exceeded|\bETIMEDOUT\b/i;
const OF_TIME = /TIME_?OUT|DEADLINE|MAX_?WAIT/i;
/** "2", "2.0", "2s", "2000ms" */
const DURATION = /(\d{1,9}(?:\.\d{1,6})?)\s?(ms|milliseconds?|s|secs?|seconds?|m|min|minutes?)?(?![\w.])/gi;

/** "its variable HTTP_TIMEOUT is 2"; undefined: the line is not about that, or no variable alone sets such a time. */
export function timeOutVariable(container: ContainerFacts, says: string): Setting | undefined {
  const line = container.reading.decisive?.line ?? '';
  if (!TIMED_OUT.test(line)) return undefined;
  const all = container.environment.filter(({ name, value }) => OF_TIME.test(name) && durationsIn(value).length > 0);
  const said = new Set(durationsIn(line));
  const same = all.filter(({ value }) => durationsIn(value).some((time) => said.has(time)));
  const [only, ...more] = same.length > 0 ? same : all;
  if (only === undefined || more.length > 0 || says.includes(only.name)) return undefined;
  return {
    says: textOf(only),
    quotes: [{ source: 'field', path: `${container.path}.${only.at}`, value: quotable(only.value) }],
  };
}

const OF_POOL = /\bpool\b|PoolTimeout/i;

/** "its variable DB_POOL is 1", of a pool that is used up; undefined: the line is not about one, or no variable alone sets its size. */
export function poolVariable(container: ContainerFacts, says: string): Setting | undefined {
  const line = container.reading.decisive?.line ?? '';
  if (!OF_POOL.test(line)) return undefined;
  const [only, ...more] = container.environment.filter(
    ({ name, value }) => /POOL|MAX_CONN|CONNECTION_LIMIT|CONCURRENCY/i.test(name) && /^\d{1,6}$/.test(value.trim()),
  );
  if (only === undefined || more.length > 0 || says.includes(only.name)) return undefined;
  return {
    says: `its variable ${only.name}${ofText(only)} is ${only.value.trim()}`,
    quotes: [{ source: 'field', path: `${container.path}.${only.at}`, value: only.value.trim() }],
  };
}

function textOf(variable: Variable): string {
  return `its variable ${variable.name}${ofText(variable)}, which sets how long it waits, is ${quotable(variable.value)}`;
}

/** The times of a text in ms; a number without a unit may be of seconds or of milliseconds. */
function durationsIn(text: string): readonly number[] {
  return [...text.slice(0, 500).matchAll(DURATION)].flatMap(([, number = '', unit = '']) => {
    const value = Number(number);
    if (value === 0) return [];
    if (unit === '') return [value, value * 1000];
    return [value * (/^m(?:s|illi)/i.test(unit) ? 1 : unit.toLowerCase().startsWith('s') ? 1000 : 60_000)];
  });
}
