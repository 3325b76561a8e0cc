/** Another machine as this one sees it: a network namespace behind a link, with an address of its own. */
import { type CommandResult, run } from '../e2e/harness.ts';

export class OtherMachine {
  readonly #name: string;
  /** This machine's side of the link. */
  readonly link: string;
  readonly address: string;
  /** Two addresses of this machine, as the other one sees it. */
  readonly host: string;
  readonly secondHost: string;

  /** @param network the first three octets of the network between the two; @param name at most 12 bytes */
  constructor(name: string, network: string) {
    this.#name = name;
    this.link = `${name}-0`;
    this.address = `${network}.2`;
    this.host = `${network}.1`;
    this.secondHost = `${network}.3`;
  }

  async make(): Promise<void> {
    await this.remove();
    await must('ip', 'netns', 'add', this.#name);
    await must('ip', 'link', 'add', this.link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', this.#name);
    await must('ip', 'address', 'add', `${this.host}/24`, 'dev', this.link);
    await must('ip', 'address', 'add', `${this.secondHost}/24`, 'dev', this.link);
    await must('ip', 'link', 'set', this.link, 'up');
    await must('ip', '-n', this.#name, 'address', 'add', `${this.address}/24`, 'dev', 'eth0');
    await must('ip', '-n', this.#name, 'link', 'set', 'eth0', 'up');
    await must('ip', '-n', this.#name, 'link', 'set', 'lo', 'up');
  }

  async remove(): Promise<void> {
    await run('ip', ['netns', 'delete', this.#name]);
    await run('ip', ['link', 'delete', this.link]);
  }

  run(file: string, ...args: readonly string[]): Promise<CommandResult> {
    return run('ip', ['netns', 'exec', this.#name, file, ...args]);
  }
}

async function must(file: string, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await run(file, args);
  if (code !== 0) throw new Error(`${file} ${args.join(' ')}: ${stderr}`);
}
