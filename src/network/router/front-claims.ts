/** Which service has a front that several want: one external address and port, for instance. */
import type { Front, ServicePlan } from './service-fronts.ts';

export class FrontClaims {
  readonly #plans = new Map<string, ServicePlan>();
  /** The services that want a front. Whose cluster IP it is has it, else the oldest of them. */
  readonly #claims = new Map<string, Set<string>>();

  plan(serviceKey: string): ServicePlan | undefined {
    return this.#plans.get(serviceKey);
  }

  plans(): ReadonlyMap<string, ServicePlan> {
    return this.#plans;
  }

  /**
   * @param plan undefined: the service is gone
   * @returns other services whose fronts may have changed by it
   */
  set(serviceKey: string, plan: ServicePlan | undefined): readonly string[] {
    const present = this.#plans.get(serviceKey);
    const before = frontNames(present);
    const after = frontNames(plan);
    const isSameAge = present?.since === plan?.since;
    if (plan === undefined) this.#plans.delete(serviceKey);
    else this.#plans.set(serviceKey, plan);
    const others = new Set<string>();
    const tellOthers = (claims: ReadonlySet<string> | undefined): void => {
      for (const other of claims ?? []) if (other !== serviceKey) others.add(other);
    };
    for (const name of before) {
      if (after.has(name)) continue;
      const claims = this.#claims.get(name);
      claims?.delete(serviceKey);
      if (claims?.size === 0) this.#claims.delete(name);
      tellOthers(claims);
    }
    for (const name of after) {
      if (before.has(name) && isSameAge) continue;
      const claims = this.#claims.get(name) ?? new Set();
      this.#claims.set(name, claims.add(serviceKey));
      tellOthers(claims);
    }
    return [...others];
  }

  /** The plan without the fronts that other services have, and the names of those. */
  won(serviceKey: string, plan: ServicePlan): { readonly plan: ServicePlan; readonly lost: readonly string[] } {
    const lost = plan.fronts.filter((front) => !this.#has(serviceKey, front));
    if (lost.length === 0) return { plan, lost: [] };
    return { plan: { ...plan, fronts: plan.fronts.filter((front) => !lost.includes(front)) }, lost: lost.map(nameOf) };
  }

  /** The service that has the front of this name ("address 10.96.0.10 . udp . 53"). */
  holder(name: string): string | undefined {
    const claims = [...(this.#claims.get(name) ?? [])];
    return claims.map((key) => ({ key, rank: this.#rank(key, name) })).toSorted(byRank)[0]?.key;
  }

  #rank(serviceKey: string, name: string): string {
    const plan = this.#plans.get(serviceKey);
    const isExternal = plan?.fronts.find((front) => nameOf(front) === name)?.external ?? true;
    return `${isExternal ? 1 : 0} ${plan?.since ?? ''} ${serviceKey}`;
  }

  #has(serviceKey: string, front: Front): boolean {
    const claims = this.#claims.get(nameOf(front));
    return claims === undefined || claims.size < 2 || this.holder(nameOf(front)) === serviceKey;
  }
}

function byRank(a: { readonly rank: string }, b: { readonly rank: string }): number {
  return a.rank < b.rank ? -1 : 1;
}

function nameOf({ at, key }: Front): string {
  return `${at} ${key}`;
}

function frontNames(plan: ServicePlan | undefined): ReadonlySet<string> {
  return new Set((plan?.fronts ?? []).map(nameOf));
}
