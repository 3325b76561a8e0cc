/** /healthz and its checks by upstream's names; `?verbose` lists each of them in a line, /healthz/NAME only one. */
import type { HttpResponse } from '../../lib/index.ts';
import type { KubeletHealth } from '../types.ts';
import { RequestError, textResponse } from './responses.ts';
import type { Route, RouteCall } from './routes.ts';

interface Check {
  readonly name: string;
  /** `undefined`: well. */
  readonly problem: () => string | undefined;
}

export function healthRoutes(health: KubeletHealth): readonly Route[] {
  const checks: readonly Check[] = [
    { name: 'ping', problem: () => undefined },
    // Upstream's is about its log writer's lock, which we do not have.
    { name: 'log', problem: () => undefined },
    { name: 'syncloop', problem: () => health.syncLoop() },
    { name: 'pleg', problem: () => health.pleg?.() },
  ];
  return [{ path: '/healthz', below: true, methods: ['GET'], answer: (call) => answerHealth(checks, call) }];
}

function answerHealth(checks: readonly Check[], { parts, query }: RouteCall): HttpResponse {
  const [, name, ...rest] = parts;
  if (name !== undefined) {
    const check = rest.length === 0 ? checks.find((each) => each.name === name) : undefined;
    if (check === undefined) throw new RequestError(404, '404 page not found');
    const problem = check.problem();
    return problem === undefined ? textResponse(200, 'ok') : textResponse(500, `internal server error: ${problem}\n`);
  }
  const left = new Set(query.getAll('exclude'));
  const lines = checks.map((check) => {
    if (left.has(check.name)) return { ok: true, line: `[+]${check.name} excluded: ok` };
    const problem = check.problem();
    return problem === undefined
      ? { ok: true, line: `[+]${check.name} ok` }
      : { ok: false, line: `[-]${check.name} failed: ${problem}` };
  });
  const text = lines.map(({ line }) => `${line}\n`).join('');
  if (lines.some(({ ok }) => !ok)) return textResponse(500, `${text}healthz check failed\n`);
  return textResponse(200, query.has('verbose') ? `${text}healthz check passed\n` : 'ok');
}
