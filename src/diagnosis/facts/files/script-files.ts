/** Tells why a script that lies in a volume of a ConfigMap does not run: its interpreter, its line ends, its mode. Pure. */
import { originOf } from './mounted-files.ts';
import { type MountedVolume, volumeOf } from './mounts.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

export interface Interpreter {
  /** "/bin/bash", "/bin/bash\r" */
  readonly name: string;
  /** "key run.sh of ConfigMap boot" */
  readonly source: string;
  readonly isWindows: boolean;
}

/** The interpreter that the first line of a script asks for; undefined: its content is not known, or has no such line. */
export function interpreterOf(facts: PodFacts, container: ContainerFacts, file: string): Interpreter | undefined {
  const mounted = file.startsWith('/') ? volumeOf(facts, container, file) : undefined;
  const origin = mounted === undefined ? undefined : originOf(facts, mounted, file);
  const { config, key = '' } = origin ?? {};
  const known = facts.evidence.configs.find(({ kind, name }) => kind === config?.kind && name === config.name);
  const first = known?.texts?.[key]?.split('\n', 1)[0]?.slice(0, MAX_LINE);
  const name = /^#!\s{0,4}(\S{1,200})/.exec(first?.replace(/\r$/, '') ?? '')?.[1];
  if (config === undefined || first === undefined || name === undefined) return undefined;
  return { name, source: `key ${key} of ${config.kind} ${config.name}`, isWindows: first.endsWith('\r') };
}

const MAX_LINE = 300;

/** ": its mode is 0644, and defaultMode: 0755 of the volume makes it executable"; '': its mode is another matter. */
export function modeText(facts: PodFacts, container: ContainerFacts, file: string): string {
  const mounted = file.startsWith('/') ? volumeOf(facts, container, file) : undefined;
  const mode = mounted === undefined ? undefined : modeOf(mounted, file);
  if (mode === undefined || (mode.bits & 0o111) !== 0) return '';
  const text = `0${mode.bits.toString(8)}`;
  return mode.isOfItem
    ? `: its mode is ${text}, by its item`
    : `: its mode is ${text}, and defaultMode: 0755 of the volume makes it executable`;
}

/** The mode with which the node writes the file; undefined: it is of another kind of volume. */
function modeOf({ volume, mountPath, subPath }: MountedVolume, file: string) {
  const { configMap, secret, projected } = volume;
  const source = configMap ?? secret ?? projected;
  if (source === undefined) return undefined;
  const path = subPath ?? file.slice(mountPath.replace(/\/+$/, '').length + 1);
  const items = [
    ...(configMap?.items ?? secret?.items ?? []),
    ...(projected?.sources ?? []).flatMap((each) => each.configMap?.items ?? each.secret?.items ?? []),
  ];
  const item = items.find((each) => each.path === path);
  return typeof item?.mode === 'number'
    ? { bits: item.mode, isOfItem: true }
    : { bits: source.defaultMode ?? 0o644, isOfItem: false };
}
