/** What a failed postStart hook said, from the kubelet's event or the container's state. */
import { decisiveLine } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { eventsWith } from '../pod/events.ts';
import { innermost } from './innermost.ts';

export interface HookWords {
  /** Its decisive words: "sh: /app/warm.sh: not found", "command 'false' said nothing". */
  readonly said: string;
  readonly exitCode?: string;
}

/** `undefined`: nobody tells what it said. */
export function hookWords({ events, status }: ContainerFacts): HookWords | undefined {
  const [event] = eventsWith(events, 'FailedPostStartHook');
  const waiting = status?.state?.waiting;
  const state = waiting?.reason === 'PostStartHookError' ? waiting.message : undefined;
  for (const message of [event?.message, state]) {
    const words = wordsOf(message ?? '');
    if (words !== undefined) return words;
  }
  return undefined;
}

function wordsOf(message: string): HookWords | undefined {
  const failure =
    /^PostStartHook failed: (.+)$/s.exec(message)?.[1] ??
    / failed - error: (.+)$/s.exec(message)?.[1] ??
    ownWords(message);
  if (failure === undefined) return undefined;
  const [, error = failure, stdout = ''] = /^(.*?), message: "(.*)"$/s.exec(failure) ?? [];
  const [, command, exitCode, stderr = ''] = /^command ["'](.*?)["'] exited with (\d+): ?(.*)$/s.exec(error) ?? [];
  if (exitCode === undefined) return { said: innermost(error) };
  const output = stderr.trim() === '' ? stdout.replaceAll(String.raw`\n`, '\n') : stderr;
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const said = innermost(lines.length > 1 ? (decisiveLine(lines)?.line ?? output) : output);
  return { said: said === '' ? `command '${innermost(command ?? '')}' said nothing` : said, exitCode };
}

/** The state of mendlet's own kubelet has the failure without a beginning. */
function ownWords(message: string): string | undefined {
  return /^command '.*' exited with \d+: /s.test(message) ? message : undefined;
}
