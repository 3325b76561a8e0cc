/** Finds who should listen within a pod where one of its containers is refused, and why that one does not. Pure. */
import type { ContainerFacts } from '../pod/container-facts.ts';
import { configsBehind, mountedVolumes } from '../files/mounts.ts';
import { hasInCommand } from '../pod/own-ports.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

export interface OwnPeer {
  readonly container: ContainerFacts;
  /** Its specification has the port; otherwise it is the only one that is ill. */
  readonly isSure: boolean;
}

/** The other container that should listen at the port; of a port that nobody's specification has the only one that ends. */
export function ownPeer(facts: PodFacts, asking: ContainerFacts, port: number | undefined): OwnPeer | undefined {
  const others = facts.containers.filter((each) => each !== asking && each.kind !== 'init');
  const declaring = others.find(({ spec }) => (spec.ports ?? []).some(({ containerPort }) => containerPort === port));
  const having = declaring ?? others.find((each) => port !== undefined && hasPort(facts, each, String(port)));
  if (having !== undefined) return { container: having, isSure: true };
  const [ill, ...more] = others.filter((each) => isEnding(each));
  return ill === undefined || more.length > 0 ? undefined : { container: ill, isSure: false };
}

/** Whether it ends, so that it does not listen. */
export function isEnding({ trouble, death }: ContainerFacts): boolean {
  return trouble !== 'none' && death !== undefined;
}

/** In its command, or in a file of a ConfigMap that it mounts. */
function hasPort(facts: PodFacts, container: ContainerFacts, port: string): boolean {
  if (hasInCommand(container.spec, port)) return true;
  const names = mountedVolumes(facts, container).flatMap((mounted) => configsBehind(mounted).map(({ name }) => name));
  const word = new RegExp(String.raw`(?<![\w.-])${port}(?![\w.-])`);
  return facts.evidence.configs.some(
    ({ kind, name, texts = {} }) =>
      kind === 'ConfigMap' && names.includes(name) && Object.values(texts).some((text) => word.test(text)),
  );
}
