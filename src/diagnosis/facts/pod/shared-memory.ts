/** Tells whether it is /dev/shm that has no space left: every container has 64 MiB there, without a volume. Pure. */
import type { ContainerFacts } from './container-facts.ts';
import { mountedVolumes } from '../files/mounts.ts';
import type { PodFacts } from './pod-facts.ts';
import { commandText } from '../peers/spec-peers.ts';

const FOLDER = '/dev/shm';
/** Names of segments, and words of programs about them. */
const OF_SHARED_MEMORY =
  /\/dev\/shm\b|\bshm_open\b|shared[ _]memory segment|shared_memory|insufficient shared memory|raise your shared memory limit|\bSemLock\b|\/PostgreSQL\.\d|<\/torch_\d/i;
/** Words of other lines that make it likely. */
const PERHAPS = /\/dev\/shm\b|\bshared[ _-]?memory\b|\bshm\b|\bmultiprocessing\b/i;
const LINES = 30;

/** sure: the line speaks of it; perhaps: something else of its log or specification does; undefined: nothing does, or a volume is there. */
export function fillsSharedMemory(
  facts: PodFacts,
  container: ContainerFacts,
  { line, file }: { readonly line: string; readonly file: string | undefined },
): 'sure' | 'perhaps' | undefined {
  const isMounted = mountedVolumes(facts, container).some(({ mountPath }) => mountPath.replace(/\/+$/, '') === FOLDER);
  if (isMounted || facts.pod.spec?.hostIPC === true) return undefined;
  if (OF_SHARED_MEMORY.test(line)) return 'sure';
  if (file !== undefined) return undefined;
  const { spec, environment, lines } = container;
  const texts = [
    commandText(spec, environment),
    ...environment.map(({ value }) => value),
    ...facts.evidence.configs.flatMap(({ kind, texts: all = {} }) => (kind === 'ConfigMap' ? Object.values(all) : [])),
  ];
  const isNamed = texts.some((text) => text.includes(FOLDER)) || lines.slice(-LINES).some((each) => PERHAPS.test(each));
  return isNamed ? 'perhaps' : undefined;
}

/** A volume in memory, which counts for the container's memory limit. */
export function sharedMemoryVolume(container: string): string {
  return `containers:\n- name: ${container}\n  volumeMounts:\n  - name: shm\n    mountPath: ${FOLDER}\nvolumes:\n- name: shm\n  emptyDir:\n    medium: Memory\n    sizeLimit: 1Gi\n`;
}
