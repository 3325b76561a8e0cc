/**
 * Checks all services when the server starts: an address outside of the range (it was another range then) or given twice is
 * reported; a service without an address gets one. Upstream repairs its bitmaps here; there are none, because the services
 * themselves are the record.
 */
import { encodeText } from '../../lib/index.ts';
import { HEADLESS, isHeadless, isInRange, needsClusterIp, type Service, SERVICES } from '../../api/index.ts';
import type { Connection } from '../ports.ts';
import type { ApiObject } from '../registry/object.ts';
import { findRegistration } from '../registry/rows.ts';
import type { ServerContext } from '../verbs/call.ts';
import { listCurrent } from '../verbs/read-current.ts';

export async function repairServices(server: ServerContext, self: Connection): Promise<void> {
  const registration = findRegistration(SERVICES.group, SERVICES.version, SERVICES.resource);
  if (registration === undefined) return;
  const all = await listCurrent(server, registration);
  for (const { service, text } of problemsOf(all, (ip) => isInRange(server.serviceRange, ip)))
    server.ports.logger.warn('service address', { service, problem: text });
  for (const object of all.filter(lacksAddress)) {
    const { namespace, name } = object.metadata;
    // Any change of a service without an address gives it one.
    const answer = await self.request({
      method: 'PATCH',
      url: `/api/v1/namespaces/${namespace}/services/${name}`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: encodeText('{}'),
    });
    if (answer.status >= 300)
      server.ports.logger.warn('service has no address', { service: `${namespace}/${name}`, status: answer.status });
  }
}

function lacksAddress(object: ApiObject): boolean {
  const { spec = {} } = object as Service;
  return needsClusterIp(spec) && !isHeadless(spec) && !spec.clusterIP;
}

/** Addresses that are not of the range, and those that two have. */
export function problemsOf(
  all: readonly ApiObject[],
  isOurs: (ip: string) => boolean,
): readonly { readonly service: string; readonly text: string }[] {
  const owners = new Map<string, string>();
  return all.flatMap((object) => {
    const ip = (object as Service).spec?.clusterIP ?? '';
    const service = `${object.metadata.namespace}/${object.metadata.name}`;
    if (ip === '' || ip === HEADLESS) return [];
    const owner = owners.get(ip);
    owners.set(ip, owner ?? service);
    if (owner !== undefined) return [{ service, text: `${ip} is also the address of ${owner}` }];
    return isOurs(ip) ? [] : [{ service, text: `${ip} is not within the service range` }];
  });
}
