/** The quotas of a namespace: their usage, the check before a write, and their status after it. */
import { canonicalPart, addQuantities, type Quantity, RESOURCE_QUOTAS, type ResourceQuota } from '../../api/index.ts';
import { encodeText } from '../../lib/index.ts';
import { type Connection, OWN_HEADERS } from '../ports.ts';
import { sameValue } from '../registry/object-meta.ts';
import type { ApiObject } from '../registry/object.ts';
import { isMainForm, type Registration } from '../registry/registration.ts';
import type { Call, ServerContext } from '../call.ts';
import { listCurrent } from '../registry/read-current.ts';
import { asksForMore, checkQuotas } from './check-quota.ts';
import { concerns, countName, only, type Usage, usageOf } from './usage.ts';

/** Whether one of these names counts objects of the kind. */
function isCounted({ row, quota }: Registration, names: readonly string[]): boolean {
  return names.includes(countName(row)) || (quota ? names.some((name) => quota.counts(name)) : false);
}

/** The quotas of a namespace. */
export async function quotasOf(server: ServerContext, namespace: string): Promise<readonly ResourceQuota[]> {
  return listCurrent(server, server.registry.get(RESOURCE_QUOTAS), namespace);
}

/** Whether anything of the row can be under a quota. */
export function mayBeCounted({ row, quota }: Registration): boolean {
  return row.namespaced && quota !== false;
}

/** All that is counted now for one quota. */
export async function usedOf(server: ServerContext, quota: ResourceQuota): Promise<Usage> {
  const names = Object.keys(quota.spec?.hard ?? {});
  const total: Record<string, Quantity> = Object.fromEntries(names.map((name) => [name, '0']));
  const { wall } = server.ports.clock.now();
  for (const registration of server.registry.all()) {
    const { row } = registration;
    // Other forms are of the same objects.
    if (!isMainForm(registration) || !mayBeCounted(registration) || !isCounted(registration, names)) continue;
    for (const object of await listCurrent(server, registration, quota.metadata?.namespace ?? '')) {
      if (!concerns(quota, row, object)) continue;
      for (const [name, quantity] of Object.entries(only(usageOf(registration, object, wall), names)))
        total[name] = addQuantities(total[name] ?? '0', quantity);
    }
  }
  return total;
}

/** Throws 403 when the write asks for more than the namespace's quotas leave. The caller holds the namespace. */
export async function admitQuotas(call: Call, object: ApiObject, old: ApiObject | undefined): Promise<void> {
  const { server, registration } = call;
  if (!mayBeCounted(registration)) return;
  const quotas = await quotasOf(server, object.metadata.namespace ?? '');
  if (quotas.length === 0) return;
  const check = { registration, object, old, quotas, wall: server.ports.clock.now().wall };
  const used = new Map<ResourceQuota, Usage>();
  // Counting reads the whole namespace: not for each status of a pod.
  if (asksForMore(check)) for (const quota of quotas) used.set(quota, await usedOf(server, quota));
  checkQuotas({ ...check, usedFor: (quota) => used.get(quota) ?? {} });
}

/** Keeps `status` of quotas true, one namespace after the other; many changes at once are one look. */
export class QuotaStatus {
  readonly #server: ServerContext;
  readonly #self: Connection;
  readonly #pending = new Set<string>();
  #running = false;

  /** `self` acts as the server's own user. */
  constructor(server: ServerContext, self: Connection) {
    this.#server = server;
    this.#self = self;
  }

  /** Something in the namespace was written, or time went on. */
  changed(namespace: string): void {
    this.#pending.add(namespace);
    if (this.#running) return;
    this.#running = true;
    void this.#run().finally(() => {
      this.#running = false;
    });
  }

  /** Looks at all namespaces that have quotas: time alone changes what counts. */
  async checkAll(): Promise<void> {
    const registration = this.#server.registry.get(RESOURCE_QUOTAS);
    for (const { metadata } of await listCurrent(this.#server, registration)) this.changed(metadata.namespace ?? '');
  }

  async #run(): Promise<void> {
    for (const namespace of this.#pending) {
      this.#pending.delete(namespace);
      try {
        for (const quota of await quotasOf(this.#server, namespace)) await this.#update(quota);
      } catch (error) {
        // The next write or look finds it again.
        this.#server.ports.logger.debug('status of quotas not kept', { namespace, error });
      }
    }
  }

  async #update(quota: ResourceQuota): Promise<void> {
    const counted = { hard: quota.spec?.hard ?? {}, used: await usedOf(this.#server, quota) };
    // As it will be stored: sums of less than a thousandth are rounded there.
    const status = canonicalPart('core.v1.ResourceQuotaStatus', counted);
    if (sameValue(status, quota.status)) return;
    const { namespace, name } = quota.metadata ?? {};
    const answer = await this.#self.request({
      method: 'PUT',
      url: `/api/v1/namespaces/${namespace}/resourcequotas/${name}/status`,
      headers: OWN_HEADERS,
      body: encodeText(JSON.stringify({ ...quota, status })),
    });
    if (answer.status === 409) this.#pending.add(namespace ?? '');
  }
}
