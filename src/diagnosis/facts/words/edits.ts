/** Advises to edit the ConfigMap, Secret or service in which a fault stands, before the workload that uses it. Pure. */
import type { RankedFinding } from '../../finding.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

const OBJECT = /\b(ConfigMap|Secret) ([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?![\w/])/g;
/** A service whose ports are not what is asked of them. */
const PORT_FAULT =
  /\bservice ([a-z0-9][a-z0-9-]{0,62}) (?:has port \d+ with [A-Z, and]+ only|has no port \d|sends to port \d)|\bport \d+ of service ([a-z0-9][a-z0-9-]{0,62}) leads to the port\b/g;
/** Changes of the workload, which come after those of what it has its configuration from. */
const OF_WORKLOAD = /^kubectl (?:.* )?(?:edit|get \S+ -o yaml)\b/;
const MAX_ADDED = 2;

/** The findings, each with commands that edit what its sentence names and what is there. */
export function withEdits(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.map((finding) => {
    const named = [
      ...[...finding.says.matchAll(OBJECT)].flatMap(([, kind = '', name = '']) => commandOf(facts, kind, name) ?? []),
      ...[...finding.says.matchAll(PORT_FAULT)].flatMap(([, by, of]) => commandOfService(facts, by ?? of) ?? []),
    ];
    const added = [...new Set(named)].filter((command) => !isAdvised(finding.try, command)).slice(0, MAX_ADDED);
    if (added.length === 0) return finding;
    const at = finding.try.findIndex((command) => OF_WORKLOAD.test(command));
    const place = at === -1 ? finding.try.length : at;
    return { ...finding, try: [...finding.try.slice(0, place), ...added, ...finding.try.slice(place)] };
  });
}

/** Whether one of them changes what the command edits. */
function isAdvised(all: readonly string[], command: string): boolean {
  const target = changedBy(command);
  return all.some((each) => changedBy(each) === target);
}

/** "configmap/app shop", of "kubectl -n shop edit configmap/app" and of "kubectl patch configmap app -n shop" */
function changedBy(command: string): string | undefined {
  const [, kind, name] = /\b(?:edit|patch) (configmap|secret|service)[ /](\S{1,253})/.exec(command) ?? [];
  const [, namespace = ''] = / (?:-n|--namespace)[ =](\S{1,63})/.exec(command) ?? [];
  return kind === undefined ? undefined : `${kind}/${name} ${namespace}`;
}

function commandOfService({ evidence, commands }: PodFacts, name: string | undefined): string | undefined {
  const there = evidence.services.find((service) => service.name === name && !service.missing);
  return there && commands.cluster('edit', `service/${there.name}`, '-n', there.namespace);
}

/** undefined: it is not there, or nobody knows in which namespace. */
function commandOf({ evidence, commands }: PodFacts, kind: string, name: string): string | undefined {
  const isIt = (config: { readonly kind: string; readonly name: string; readonly state: string }): boolean =>
    config.kind === kind && config.name === name && config.state === 'found';
  const target = `${kind.toLowerCase()}/${name}`;
  if (evidence.configs.some(isIt)) return commands.kubectl('edit', target);
  const behind = evidence.services.find(({ server }) => (server?.configs ?? []).some(isIt));
  return behind && commands.cluster('edit', target, '-n', behind.namespace);
}
