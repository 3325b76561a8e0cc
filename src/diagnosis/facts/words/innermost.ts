/** Takes the wrappers off messages of runtimes and kubelets, so that a headline tells what went wrong and not who passed it on. */
import { maskSecrets } from '../../../log-analysis/index.ts';
import { MAX_MASKED_LENGTH } from '../../limits.ts';
import { quotable } from './text.ts';

/**
 * What containerd, runc, CRI-O and the kubelet put before an error, each with the names that it repeats. Each pattern begins at the
 * beginning, so that the work is linear in the number of wrappers.
 */
const WRAPPERS: readonly RegExp[] = [
  /^rpc error: code = \w+ desc = /,
  /^(?:back-off pulling image "[^"]{0,300}"|Failed to (?:inspect|pull) image "[^"]{0,300}"|Err\w+): /i,
  /^failed to (?:generate|create|start|run) (?:the )?(?:containerd )?(?:container|task|sandbox|shim|pod sandbox|shim task|containerd task|pod network sandbox)(?: "[^"]{0,100}")?(?: (?:spec|task))?: /i,
  /^failed to (?:generate (?:container )?spec|generate \w+ spec opts|apply OCI options|create (?:prepare )?snapshot(?: dir)?|get sandbox runtime): /i,
  /^(?:create snapshot|error creating container|Error): /,
  /^(?:failed to set ?up network for sandbox "[^"]{0,100}"|failed to create pod network sandbox [^:]{0,100}): /,
  /^(?:failed to exec in container|failed to start exec "[0-9a-f]{1,64}"|OCI runtime exec failed|exec failed): /,
  /^(?:OCI runtime create failed|runc (?:create|run) failed|crun|container create failed|unable to start container process|error during container init): /,
  /^(?:container_linux|process_linux|rootfs_linux|standard_init_linux)\.go:\d+: (?:[\w ]{1,40} caused:? )?/,
  /^Pod was rejected: /,
  /^(?:MountVolume|AttachVolume|MapVolume|UnmountVolume)\.\w+ failed for volume "[^"]{0,300}" : /,
  /^failed to pull and unpack image "[^"]{0,300}": /,
  /^failed to resolve (?:reference|image) "[^"]{0,300}": /,
  /^failed to (?:do request|copy|extract layer \S{1,100}|commit on ref "[^"]{0,200}"): /,
];

/** The wrappers of one message. */
const MAX_WRAPPERS = 16;
/** Characters of a message that stand in a headline. Its end is the cause, its beginning what was to be done. */
const MAX_CHARACTERS = 240;
const BEGIN_CHARACTERS = 110;

/** "failed to create containerd task: …: exec: "/app/serve": not found: unknown" → "exec: "/app/serve": not found". */
export function innermost(message: string): string {
  let text = mountOutput(message) ?? message;
  for (let count = 0; count < MAX_WRAPPERS; count += 1) {
    const wrapper = WRAPPERS.find((pattern) => pattern.test(text));
    const rest = wrapper === undefined ? '' : text.replace(wrapper, '').trim();
    if (rest === '') break;
    text = rest;
  }
  // Secrets are masked before anything is cut, because half a secret is not known any more.
  const flat = maskSecrets(text.slice(0, MAX_MASKED_LENGTH))
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/: unknown$/, '')
    .replace(/\s*\.$/, '');
  const short = `${flat.slice(0, BEGIN_CHARACTERS)} … ${flat.slice(BEGIN_CHARACTERS - MAX_CHARACTERS + 3)}`;
  return quotable(flat.length <= MAX_CHARACTERS ? flat : short);
}

/** ": what went wrong", or nothing where there is no message. */
export function because(message: string | undefined): string {
  const text = innermost(message ?? '');
  return text === '' ? '' : `: ${text}`;
}

/** What mount(8) said, with the source that it was to mount. */
function mountOutput(message: string): string | undefined {
  const output = /\bOutput: (.{1,400})/s.exec(message)?.[1]?.trim();
  if (output === undefined || output === '') return undefined;
  const source = /Mounting arguments: .{0,200}?-t (\S{1,40}) (?:-o \S{1,300} )?(\S{1,300})/s.exec(message);
  if (source === null || output.includes(source[2] ?? '')) return output;
  return `${output} (${source[1]} ${source[2]})`;
}
