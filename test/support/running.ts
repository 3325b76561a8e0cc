/** A process of a test, with its output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { kill } from './lab-network.ts';

export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number | NodeJS.Signals>;
  log = '';
  out = '';

  constructor(file: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    // A separate group, because Ctrl-C is for the test, which ends its processes in order.
    this.child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.log += chunk.toString();
    });
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.out += chunk.toString();
    });
    this.ended = new Promise((done, fail) => {
      this.child.on('exit', (code, signal) => done(code ?? signal ?? 1));
      this.child.on('error', fail);
    });
  }

  get pid(): number | undefined {
    return this.child.exitCode === null && this.child.signalCode === null ? this.child.pid : undefined;
  }

  /** Waits for the ready line. @throws with the log when the process ends before */
  async ready(line: string): Promise<void> {
    await new Promise<void>((done, fail) => {
      const look = (): void => {
        if (this.out.includes(line)) done();
      };
      this.child.stdout?.on('data', look);
      look();
      void this.ended.then((how) => fail(new Error(`ended (${how}) before it was ready:\n${this.log}`)), fail);
    });
  }

  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    if (this.pid !== undefined) kill(this.pid, signal);
    return this.ended;
  }
}
