/** Quotes for one object what was found at another. Pure. */
import type { Quote } from './finding.ts';

/** The same quotes; a line of a log names the object it comes from, because a container's name says too little there. */
export function quotesOfOther(quotes: readonly Quote[], object: string): readonly Quote[] {
  return quotes.map((quote) => (quote.source === 'log' ? { source: 'object', object, says: quote.line } : quote));
}
