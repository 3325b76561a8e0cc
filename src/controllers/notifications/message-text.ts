/** A message as plain lines, for targets that show text. Pure. */
import { formatDurationMs } from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import { MAX_TEXT_LENGTH } from './limits.ts';
import type { Message, ToldNotice } from './message.ts';

/** One line: the only notice, or how many there are of each sort. */
export function titleOf(message: Message): string {
  const where = message.cluster === undefined ? '' : `[${message.cluster}] `;
  if (message.isTest) return `${where}mendlet: a test`;
  const [only] = message.notices;
  if (message.notices.length === 1 && only !== undefined) return `${where}${only.headline}`;
  const sorts = Map.groupBy(message.notices, sortOf);
  return `${where}${[...sorts].map(([sort, each]) => `${each.length} ${sort}`).join(', ')}`;
}

function sortOf({ kind, trigger, end }: ToldNotice): string {
  if (kind === 'recovered') return end === 'recovered' ? 'recovered' : end === 'failed' ? 'failed' : 'gone';
  return { GaveUp: 'gave up', NeedsHuman: 'need a person', NodeLost: 'lost', DataAtRisk: 'at risk' }[trigger];
}

/** @param quote how the target marks commands */
export function bodyOf(message: Message, quote: (command: string) => string = (command) => command): string {
  if (message.isTest) return `${nameOf(message)} can reach this target. Nothing is wrong.`;
  const parts = message.notices.map((notice) => partOf(notice, message, quote));
  return bounded(parts);
}

/** "notification shop/team", as it is seen by people. */
export function nameOf({ sender: { kind, namespace, name } }: Message): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function partOf(notice: ToldNotice, message: Message, quote: (command: string) => string): string {
  const { kind, end, headline, cause, since, times, next, commands } = notice;
  const sign = kind !== 'recovered' || end === 'failed' ? '✖' : end === 'recovered' ? '✔' : '–';
  const again = times > 1 ? `; ${times} times within an hour` : '';
  const ago = kind === 'recovered' ? '' : `, ${formatDurationMs(Math.max(0, message.at - since))} ago`;
  return [
    `${sign} ${headline}`,
    `${kind === 'recovered' ? 'It was' : 'Why'}: ${cause}`,
    `Since: ${formatTime(since)}${ago}${again}`,
    `Next: ${next}`,
    ...(commands.length === 0 ? [] : [`Look: ${commands.map(quote).join(' · ')}`]),
  ].join('\n');
}

/** Whole parts, and how many more there would have been. */
function bounded(parts: readonly string[]): string {
  let text = '';
  for (const [position, part] of parts.entries()) {
    const more = `\n\n… and ${parts.length - position} more`;
    if (text !== '' && text.length + part.length + more.length > MAX_TEXT_LENGTH) return `${text}${more}`;
    text += `${text === '' ? '' : '\n\n'}${part.slice(0, MAX_TEXT_LENGTH)}`;
  }
  return text;
}
