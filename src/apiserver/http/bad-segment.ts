/** Names in requests become parts of keys (upstream: IsValidPathSegmentName). Pure. */
import { badRequest, checkPathSegment } from '../../api/index.ts';

/** Throws 400. `what`: "Name", "Namespace". */
export function refuseBadSegment(what: string, value: string | undefined): void {
  const [problem] = value === undefined ? [] : checkPathSegment(value);
  if (problem !== undefined) throw badRequest(`${what} parameter invalid: ${shown(value ?? '')}: ${problem}`);
}

function shown(value: string): string {
  const most = 100;
  return JSON.stringify(value.length > most ? `${value.slice(0, most)}…` : value);
}
