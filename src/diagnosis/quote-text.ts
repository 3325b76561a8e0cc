/** Prints one piece of evidence as a line of text. Pure. */
import { parseTime } from '../lib/index.ts';
import { listeningText } from './facts/probes/listening.ts';
import { formatAge } from './facts/words/text.ts';
import type { Quote } from './finding.ts';

/** @param now wall ms, for ages */
export function quoteText(quote: Quote, now: number): string {
  switch (quote.source) {
    case 'field':
      return `${quote.of === undefined ? '' : `${quote.of}: `}${quote.path}: ${quote.value}`;
    case 'event': {
      const of = quote.of === undefined ? '' : `${quote.of}: `;
      const times = quote.count > 1 ? ` ×${quote.count}` : '';
      return `${of}event ${quote.reason}${times}${ago(quote.lastSeen, now)}: ${quote.message}`;
    }
    case 'log':
      return `log of ${quote.container}: "${quote.line}"`;
    case 'death':
      return deathText(quote, now);
    case 'probe': {
      const times = (quote.count ?? 1) > 1 ? ` ×${quote.count}` : '';
      return `${quote.type} probe${times}${ago(quote.at, now)}: ${quote.output === '' ? '(it says nothing)' : quote.output}`;
    }
    case 'listening':
      return `ports listened on then: ${listeningText(quote.ports)}`;
    case 'cgroup':
      return `${quote.figure}: ${quote.value}`;
    case 'change':
      return `changed ${formatAge(quote.secondsBefore * 1000)} before ${quote.before}: ${quote.says}`;
    case 'object':
      return `${quote.object}: ${quote.says}`;
  }
}

function deathText(quote: Extract<Quote, { source: 'death' }>, now: number): string {
  const number = quote.number === undefined ? 'last death' : `death ${quote.number}`;
  const signal = quote.signal === undefined ? '' : ` (${quote.signal})`;
  const lived = quote.livedSeconds === undefined ? '' : ` after ${lifeText(quote.livedSeconds)}`;
  const message = quote.message === undefined ? '' : `: ${quote.message}`;
  return `${number} of ${quote.container}${ago(quote.finishedAt, now)}${lived}: exit ${quote.exitCode}${signal}, ${quote.reason}${message}`;
}

function lifeText(seconds: number): string {
  return seconds < 10 ? `${seconds}s` : formatAge(seconds * 1000);
}

/** ", 12s ago" */
function ago(time: string | undefined, now: number): string {
  const at = parseTime(time);
  return at === undefined ? '' : `, ${formatAge(now - at)} ago`;
}
