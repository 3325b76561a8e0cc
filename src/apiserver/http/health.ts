/** /healthz, /livez and /readyz, with `?verbose`, `?exclude=` and one check by its path (upstream: healthz). */
import { notFoundPath } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { textResponse } from './respond.ts';

export interface HealthCheck {
  readonly name: string;
  /** Why it is not well; undefined when it is. */
  check(): Promise<string | undefined>;
  /** A remark that `?verbose` shows although the check is well; anybody may read it, so it has no names. */
  remark?(): string | undefined;
  /** There is no remark. */
  hidden?(): boolean;
  /** Part of /readyz alone: a server that is not ready must not be restarted for it. */
  readonly readyOnly?: boolean;
}

/** `path` is one of the three, or one of them with a check's name behind it. */
export async function healthResponse(
  path: string,
  query: URLSearchParams,
  all: readonly HealthCheck[],
): Promise<HttpResponse> {
  const [, kind = '', only] = path.split('/');
  const checks = all.filter((entry) => (kind === 'readyz' || entry.readyOnly !== true) && entry.hidden?.() !== true);
  if (only !== undefined && only !== '') return oneCheck(checks.find((entry) => entry.name === only));
  const excluded = new Set(query.getAll('exclude'));
  const lines: string[] = [];
  let well = true;
  for (const entry of checks) {
    const problem = excluded.has(entry.name) ? undefined : await entry.check();
    if (problem !== undefined) well = false;
    lines.push(
      excluded.has(entry.name)
        ? `[+]${entry.name} excluded: ok`
        : problem === undefined
          ? `[+]${entry.name} ok${remarkOf(entry)}`
          : `[-]${entry.name} failed: reason withheld`,
    );
  }
  const report = `${lines.join('\n')}\n`;
  if (!well) return textResponse(500, `${report}${kind} check failed\n`);
  return textResponse(200, query.has('verbose') ? `${report}${kind} check passed\n` : 'ok');
}

function remarkOf(entry: HealthCheck): string {
  const remark = entry.remark?.();
  return remark === undefined ? '' : `: ${remark}`;
}

async function oneCheck(entry: HealthCheck | undefined): Promise<HttpResponse> {
  if (entry === undefined) throw notFoundPath();
  return (await entry.check()) === undefined
    ? textResponse(200, 'ok')
    : textResponse(500, 'internal server error: reason withheld\n');
}
