/** A virtual machine for one suite: Debian with systemd and cgroup v2 in qemu, for reboots and power cuts. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ended, HELLO_LINE, parseAnswer, runLine, splitLines } from '../../tools/vm/line-protocol.ts';
import { overlayArguments, qemuArguments } from '../../tools/vm/qemu.ts';
import { vmCache } from '../../tools/vm/recipe.ts';
import type { CommandResult } from '../e2e/harness.ts';
import { freePort } from '../support/free-port.ts';

const CPUS = 2;
const MEMORY_MIB = 2048;
/** Time limit that only ends a hang: an emulated machine boots within seconds, on a loaded host within a minute. */
const BOOT_LIMIT_MS = 600_000;
const POLL_MS = 200;
const CONSOLE_LINES = 40;
const guests = join(vmCache, 'guests');

/** Removes the remains of guests of killed test runs; their qemu ended with them. */
export function removeAbandonedGuests(): void {
  if (!existsSync(guests)) return;
  for (const name of readdirSync(guests)) {
    if (!existsSync(`/proc/${name.split('-')[0]}`)) rmSync(join(guests, name), { recursive: true, force: true });
  }
}

export class Guest {
  readonly #folder: string;
  readonly #outsidePort: number | undefined;
  /** Port on this machine's 127.0.0.1 that leads to the guest's API server. */
  #apiPort = 0;
  #qemu: ChildProcess | undefined;
  #qemuSaid = '';
  #socket: Socket | undefined;
  #bootId: string | undefined;
  #nextId = 1;
  readonly #waiting = new Map<number, { done: (ended: Ended) => void; fail: (error: Error) => void }>();

  private constructor(folder: string, outsidePort: number | undefined) {
    this.#folder = folder;
    this.#outsidePort = outsidePort;
  }

  /**
   * A guest with its own disk, which is not switched on yet.
   * @param outsidePort of this machine's 127.0.0.1, which the guest may reach
   */
  static create(outsidePort?: number): Guest {
    mkdirSync(guests, { recursive: true });
    const folder = mkdtempSync(join(guests, `${process.pid}-`));
    const made = spawnSync('qemu-img', overlayArguments(join(vmCache, 'root.img'), join(folder, 'disk')), {
      encoding: 'utf8',
    });
    if (made.status !== 0) throw new Error(`qemu-img: ${made.error?.message ?? made.stderr}`);
    return new Guest(folder, outsidePort);
  }

  /** Switches the guest on, and waits until it accepts commands. Its units may still be starting. */
  async on(): Promise<void> {
    if (this.#qemu !== undefined) return;
    this.#apiPort ||= await freePort();
    const socket = join(this.#folder, 'agent');
    const args = qemuArguments({
      kernel: join(vmCache, 'vmlinuz'),
      initrd: join(vmCache, 'initrd'),
      disk: join(this.#folder, 'disk'),
      goods: join(vmCache, 'goods.img'),
      socket,
      console: join(this.#folder, 'console'),
      cpus: CPUS,
      memoryMiB: MEMORY_MIB,
      apiPort: this.#apiPort,
      outsidePort: this.#outsidePort,
    });
    rmSync(socket, { force: true });
    // qemu ends with this process, even if this process is killed.
    const qemu = spawn('setpriv', ['--pdeathsig', 'KILL', 'qemu-system-x86_64', ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#qemu = qemu;
    this.#qemuSaid = '';
    qemu.stderr.on('data', (chunk: Buffer) => {
      this.#qemuSaid += chunk.toString();
    });
    qemu.on('error', (error) => {
      this.#qemuSaid += error.message;
    });
    qemu.on('close', (code, signal) => {
      this.#qemuSaid += `qemu ended: ${code ?? signal}`;
      this.#gone(qemu);
    });
    await this.#booted(undefined);
  }

  /** Runs `script` by bash in the guest. Rejects when the guest goes away before it ends. */
  async try(script: string): Promise<CommandResult> {
    const id = this.#nextId++;
    return await new Promise<Ended>((done, fail) => {
      if (this.#socket === undefined) return fail(new Error('the guest is off'));
      this.#waiting.set(id, { done, fail });
      this.#socket.write(runLine(id, script));
    });
  }

  /** Runs a script that must exit with 0. @returns its output */
  async sh(script: string): Promise<string> {
    const { code, stdout, stderr } = await this.try(script);
    if (code !== 0) throw new Error(`in the guest: ${script}\nexit ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Reboots as an administrator does: units are stopped, and file systems unmounted. */
  async reboot(): Promise<void> {
    const before = this.#bootId;
    // The command's end may be reported, or lost with the agent.
    await this.try('systemctl reboot --no-block').catch(() => undefined);
    await this.#booted(before);
  }

  /** Cuts the power: the machine stops at once, and loses everything that its kernel has not written. */
  async powerCut(): Promise<void> {
    await this.#kill();
  }

  /** Cuts the power, and deletes the disk. */
  async remove(): Promise<void> {
    await this.#kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get apiPort(): number {
    return this.#apiPort;
  }

  /** The last lines of the serial console. */
  console(): string {
    const file = join(this.#folder, 'console');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(-CONSOLE_LINES).join('\n') : '';
  }

  async #kill(): Promise<void> {
    const qemu = this.#qemu;
    if (qemu === undefined) return;
    const ended = new Promise((done) => qemu.once('close', done));
    qemu.kill('SIGKILL');
    await ended;
  }

  #gone(qemu: ChildProcess): void {
    if (this.#qemu !== qemu) return;
    this.#qemu = undefined;
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#bootId = undefined;
    this.#failWaiting();
  }

  #failWaiting(): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { fail } of all)
      fail(new Error(`the guest went away before the command ended: ${this.#qemuSaid}\n${this.console()}`));
  }

  /** Waits for the hello of another boot than `before`. */
  async #booted(before: string | undefined): Promise<void> {
    const begunAt = performance.now();
    while (this.#bootId === undefined || this.#bootId === before) {
      if (this.#qemu === undefined) throw new Error(`${this.#qemuSaid}\n${this.console()}`);
      if (performance.now() - begunAt > BOOT_LIMIT_MS) throw new Error(`it does not boot:\n${this.console()}`);
      if (this.#socket === undefined) this.#connect();
      await sleep(POLL_MS);
    }
  }

  #connect(): void {
    const socket = connect(join(this.#folder, 'agent'));
    let rest = '';
    socket.on('connect', () => {
      this.#socket = socket;
      socket.write(HELLO_LINE);
    });
    // An error comes before qemu listens; the next try follows soon.
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      const split = splitLines(rest + chunk.toString('latin1'));
      rest = split.rest;
      for (const line of split.lines) this.#heard(line);
    });
  }

  #heard(line: string): void {
    const answer = parseAnswer(line);
    if (answer === undefined) return;
    if (answer.kind === 'hello') {
      if (this.#bootId !== answer.bootId) this.#failWaiting();
      this.#bootId = answer.bootId;
      return;
    }
    this.#waiting.get(answer.id)?.done(answer);
    this.#waiting.delete(answer.id);
  }
}
