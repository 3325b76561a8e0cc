/** GET pods/NAME/history as the node's agent is asked for it. Pure. */
import { badRequest } from '../../api/index.ts';

/** Path and query on the node. Throws 400. */
export function historyPath(namespace: string, name: string, query: URLSearchParams): string {
  const params = new URLSearchParams({ namespace, pod: name });
  for (const field of ['uid', 'container']) {
    const value = query.get(field) ?? '';
    if (value !== '') params.set(field, value);
  }
  const death = query.get('death') ?? '';
  if (death !== '') {
    if (!/^[1-9]\d{0,8}$/.test(death))
      throw badRequest(`invalid value of death: ${JSON.stringify(death)}: must be the number of a death, from 1`);
    params.set('death', death);
  }
  return `/mendlet/v1/history?${params.toString()}`;
}
