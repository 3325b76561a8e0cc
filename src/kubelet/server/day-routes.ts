/** /mendlet/v1/days: what the node remembers of the last day of its workloads. */
import type { HttpResponse } from '../../lib/index.ts';
import type { DayKeeper } from '../day-ring/day-keeper.ts';
import { jsonResponse, RequestError } from './responses.ts';
import type { Route, RouteCall } from './routes.ts';

const DAYS_PATH = '/mendlet/v1/days';

export function dayRoutes(days: Pick<DayKeeper, 'answer'>): readonly Route[] {
  return [{ path: DAYS_PATH, methods: ['GET'], answer: (call) => answer(days, call) }];
}

/** Series are many numbers: they are given for workloads of one name. */
function answer(days: Pick<DayKeeper, 'answer'>, { query }: RouteCall): HttpResponse {
  const [namespace, kind, name] = ['namespace', 'kind', 'name'].map((field) => query.get(field) || undefined);
  const series = query.get('series') ?? 'false';
  if (series !== 'true' && series !== 'false') throw new RequestError(400, `invalid series: ${series}: true or false`);
  if (series === 'true' && name === undefined) {
    throw new RequestError(400, 'series need the name of a workload: ?namespace=NS&kind=KIND&name=NAME&series=true');
  }
  return jsonResponse(days.answer({ namespace, kind, name, series: series === 'true' }));
}
