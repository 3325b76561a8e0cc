/** Says in upstream's words how the command of a hook failed, with what is useful of its output. Pure. */
import { decisiveLine, maskSecrets, withoutKnown } from '../../log-analysis/index.ts';
import { MAX_HOOK_COMMAND, MAX_HOOK_OUTPUT, MAX_HOOK_OUTPUT_MASKED, MAX_HOOK_OUTPUT_READ } from './limits.ts';

/** A line of curl's progress, and what curl writes behind it without a line end. */
const PROGRESS = /^(?:\s*% Total\b.*|\s*Dload\s+Upload\b.*|[\s\d.:kMGTP-]*(?:--:--:--|\d:\d\d:\d\d)[\s\d.:kMGTP-]*)/;

export interface FailedCommand {
  readonly command: readonly string[];
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * "command 'sh -c /warm.sh' exited with 6: curl: (6) Could not resolve host: x" (upstream: remote_runtime.go, utilexec.CodeExitError).
 * Short output is told whole, the errors first; of long output the decisive line, else its end.
 *
 * @param secrets values that nobody may see; what looks like a secret is masked in any case
 */
export function commandFailure(failed: FailedCommand, secrets: readonly string[]): string {
  const mask = (text: string) => maskSecrets(withoutKnown(text, secrets));
  const command = cut(mask(failed.command.join(' ').slice(0, MAX_HOOK_OUTPUT_READ)), MAX_HOOK_COMMAND);
  // Half a secret is not known any more: it is masked before the cut, in more than is told.
  const endOf = (text: string) => mask(text.slice(-MAX_HOOK_OUTPUT_MASKED)).slice(-MAX_HOOK_OUTPUT_READ);
  const streams = [failed.stderr, failed.stdout].map((text) => usefulLines(endOf(text)));
  const whole = streams.flat().join('\n');
  const said = whole.length <= MAX_HOOK_OUTPUT ? whole : decisive(streams);
  return `command '${command}' exited with ${failed.exitCode}: ${cut(said, MAX_HOOK_OUTPUT)}`;
}

function decisive(streams: readonly (readonly string[])[]): string {
  const [line] = streams.flatMap((lines) => decisiveLine(lines)?.line ?? []);
  const [first = ''] = streams.flatMap((lines) => (lines.length === 0 ? [] : [lines.join('\n')]));
  return line ?? first.slice(-MAX_HOOK_OUTPUT);
}

function usefulLines(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const shown = line.trimEnd().split('\r').at(-1)?.replace(PROGRESS, '').trim() ?? '';
    return shown === '' ? [] : [shown];
  });
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
