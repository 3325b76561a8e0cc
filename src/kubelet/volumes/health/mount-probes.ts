/**
 * Asks file systems whether they answer, each in a process of its own: a call into a dead one would block a thread of ours for
 * ever. A process that hangs stays the only one on its path, and few hang at once.
 */
import { type Clock, type Process, withDeadline } from '../../../lib/index.ts';
import type { ProbeAnswer } from './judge-volume.ts';
import { MAX_PROBES, MAX_PROBES_OF_SERVER, PROBE_TIMEOUT_MS } from './limits.ts';

/** Words of the C library for a file system that has ended: its server, its process or its device is gone. */
const DEAD =
  /Transport endpoint is not connected|Stale file handle|Input\/output error|Host is down|Software caused connection abort|No such device|Structure needs cleaning|Key has been revoked|Remote I\/O error/;

export class MountProbes {
  readonly #clock: Clock;
  readonly #process: Process;
  /** Path → who serves it, of programs that run. */
  readonly #running = new Map<string, string>();

  constructor({ clock, process }: { readonly clock: Clock; readonly process: Process }) {
    this.#clock = clock;
    this.#process = process;
  }

  /**
   * `undefined`: nobody could be asked, or the answer says nothing. Never rejects.
   * @param server who serves it: few of one server hang at once
   */
  async ask(path: string, server: string): Promise<ProbeAnswer | undefined> {
    if (this.#running.has(path)) return { kind: 'hangs' };
    const ofServer = [...this.#running.values()].filter((each) => each === server).length;
    if (this.#running.size >= MAX_PROBES || ofServer >= MAX_PROBES_OF_SERVER) return undefined;
    this.#running.set(path, server);
    const asking = this.#run(path).finally(() => this.#running.delete(path));
    const ended = await withDeadline({ clock: this.#clock, timeoutMs: PROBE_TIMEOUT_MS + 1000 }, () => asking);
    if (ended.kind === 'done') return ended.value;
    // A process of ours that was held up proves nothing about the file system.
    return ended.kind === 'expired' ? { kind: 'hangs' } : undefined;
  }

  async #run(path: string): Promise<ProbeAnswer | undefined> {
    const options = { timeoutMs: PROBE_TIMEOUT_MS, env: { LC_ALL: 'C' } };
    try {
      const { code, stderr } = await this.#process.run('stat', ['-f', '-c', '%T', '--', path], options);
      if (code === 0) return { kind: 'answers' };
      // It was killed.
      if (code > 128) return { kind: 'hangs' };
      const error = DEAD.exec(stderr)?.[0];
      return error === undefined ? undefined : { kind: 'fails', error };
    } catch {
      return undefined;
    }
  }
}
