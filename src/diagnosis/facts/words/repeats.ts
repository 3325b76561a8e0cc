/** Cuts from an error what repeats itself in brackets. Pure. */
import { formatHost, peerIn } from '../../../log-analysis/index.ts';
import { hasWord } from './text.ts';

/** Less that is the same may be so by accident, characters. */
const MIN_REPEATED = 20;
const MAX_LENGTH = 2000;

/**
 * "Error: no space (retrying of invoker failed: rpc error: desc = no space, target=db:2379)" → "Error: no space (db:2379)": what stands in the
 * last brackets of a line, and has the words before them in it, is left out, except a peer that only stands there.
 */
export function withoutRepeat(line: string): string {
  const at = line.length > MAX_LENGTH || !line.endsWith(')') ? -1 : line.indexOf(' (');
  if (at === -1) return line;
  const before = line.slice(0, at);
  const within = line.slice(at + 2, -1);
  const said = before.replace(/^(?:[\w.-]{1,40}: )?(?:error|fatal|failed|err): /i, '');
  if (said.length < MIN_REPEATED || !within.includes(said)) return line;
  const { host, port } = peerIn(within);
  const isNew = host !== undefined && port !== undefined && !hasWord(before, host);
  return isNew ? `${before} (${formatHost(host, port)})` : before;
}
