/**
 * The soak of CSI: three nodes with the example driver, which attaches disks. SIGKILL of agents, drivers, containerds and the server
 * at random moments, nodes that are cut off, drains; writers note what fsync acknowledged. No volume is ever on two nodes, no writer
 * writes beside another; in the end nothing that was acknowledged is lost, and nothing is left behind.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, seededRandom } from '../../src/lib/index.ts';
import { Acknowledgements } from '../../tools/writers/acknowledgements.ts';
import { firstLost, overlapping, writerScript } from '../../tools/writers/fsync-writer.ts';
import { exampleDriverArchive } from '../support/csi-example/image.ts';
import { installInLab, labKubeletDir } from '../support/csi-example/manifests.ts';
import { Lab } from '../support/lab.ts';
import { serverAddress } from '../support/lab-network.ts';
import { attachedNodes, logOn, restOfVolumes, stagedNodes } from './csi-disk.ts';
import { CsiPeople } from './csi-people.ts';
import { CSI_STRIKES } from './csi-strikes.ts';
import { patiently } from './patiently.ts';
import type { VolumesSoakOptions } from './volumes-soak.ts';

export interface CsiSoakFigures {
  readonly strikes: Readonly<Record<string, number>>;
  readonly acts: number;
  /** Volumes that the storage ever had. */
  readonly volumes: number;
  /** Times that a volume was seen on another node than before. */
  readonly moves: number;
  readonly writers: number;
  /** Records that fsync acknowledged. */
  readonly records: number;
}

const NODES = 3;
const EVERY_MS = 4000;
const ACT_EVERY_MS = 2500;
const LOOK_EVERY_MS = 500;

/** Runs the soak; throws at the first fault, with the logs of all. */
export async function soakCsi(options: VolumesSoakOptions): Promise<CsiSoakFigures> {
  const archive = await exampleDriverArchive();
  const lab: Lab = await Lab.create({
    nodes: NODES,
    clusterCidr: `10.${options.podNetwork}.0.0/16`,
    serverFlags: ['--service-cidr', options.serviceCidr, '--node-monitor-grace-period', '6s'],
    agentFlags: ['--image-archive', archive],
    flagsOf: (node) => ['--kubelet-dir', labKubeletDir(lab, node.name)],
    kubelet: { crashLoopBackOff: { maxContainerRestartPeriod: '1s' } },
  });
  const heard = await Acknowledgements.listen(serverAddress(lab.names));
  try {
    await lab.start();
    await installInLab(lab, { attaches: true });
    return await new CsiSoak(options, lab, heard).run();
  } catch (error) {
    options.say(String(error));
    const logs = [lab.serverLog, ...lab.nodes.map(({ name, log }) => `${name}:\n${log}`)];
    throw new Error(`${String(error)}\n${logs.map((log) => log.slice(-6000)).join('\n')}`, { cause: error });
  } finally {
    await lab.down();
    await heard.close();
  }
}

class CsiSoak {
  readonly #options: VolumesSoakOptions;
  readonly #lab: Lab;
  readonly #heard: Acknowledgements;
  readonly #people: CsiPeople;
  readonly #random: Random;
  readonly #strikes = new Map<string, number>();
  /** Handle → the node that had it last. */
  readonly #lastNode = new Map<string, string>();
  #moves = 0;

  constructor(options: VolumesSoakOptions, lab: Lab, heard: Acknowledgements) {
    this.#options = options;
    this.#lab = lab;
    this.#heard = heard;
    this.#random = seededRandom(options.seed);
    const script = writerScript(serverAddress(lab.names), heard.port);
    this.#people = new CsiPeople(lab, this.#random.split('people'), script, options.say);
  }

  async run(): Promise<CsiSoakFigures> {
    await this.#people.begin();
    const over = new AbortController();
    const endAt = performance.now() + this.#options.minutes * 60_000;
    const isOver = (): boolean => over.signal.aborted || performance.now() >= endAt;
    const ending = [this.#strike(isOver, over.signal), this.#act(isOver), this.#look(isOver)].map((loop) =>
      loop.catch((error: unknown) => {
        over.abort();
        this.#options.say(String(error));
        throw error;
      }),
    );
    await Promise.all(ending.map((each) => each.catch(() => {})));
    await Promise.all(ending);
    await this.#end();
    const { records, starts: writers } = this.#heard;
    return {
      strikes: Object.fromEntries(this.#strikes),
      acts: this.#people.acts,
      volumes: this.#lastNode.size,
      moves: this.#moves,
      writers,
      records,
    };
  }

  async #strike(isOver: () => boolean, over: AbortSignal): Promise<void> {
    const random = this.#random.split('strikes');
    const { everyMs = EVERY_MS, say } = this.#options;
    // Each way of striking comes once at first.
    for (let due = 0; ; due += 1) {
      await sleep(random.next() * 2 * everyMs);
      if (over.aborted || (isOver() && due >= CSI_STRIKES.length)) return;
      const strike = CSI_STRIKES[due] ?? CSI_STRIKES[Math.floor(random.next() * CSI_STRIKES.length)];
      const node = this.#lab.nodes[Math.floor(random.next() * NODES)];
      if (strike === undefined || node === undefined) continue;
      say(`  ${strike.name} (${node.name})`);
      await strike.strike(this.#lab, node, random);
      this.#strikes.set(strike.name, (this.#strikes.get(strike.name) ?? 0) + 1);
    }
  }

  async #act(isOver: () => boolean): Promise<void> {
    const random = this.#random.split('acts');
    while (!isOver()) {
      await sleep(random.next() * 2 * ACT_EVERY_MS);
      this.#options.say(await this.#people.act());
    }
  }

  async #look(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      this.#checkNodes();
      this.#checkWriters();
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** What the storage says, and what the kernel says: each volume is on one node at most. */
  #checkNodes(): void {
    for (const [handle, nodes] of attachedNodes(this.#lab)) {
      if (nodes.length > 1) throw new Error(`${handle} is attached to ${nodes.join()}`);
      const [node] = nodes;
      if (node === undefined) continue;
      const before = this.#lastNode.get(handle);
      if (before !== undefined && before !== node) this.#moves += 1;
      this.#lastNode.set(handle, node);
    }
    for (const [handle, nodes] of stagedNodes(this.#lab))
      if (nodes.size > 1) throw new Error(`${handle} is staged on ${[...nodes].join()}`);
  }

  /** Every writer found all that was acknowledged before. */
  #checkWriters(): void {
    const [problem] = this.#heard.problems;
    if (problem !== undefined) throw new Error(problem);
  }

  async #end(): Promise<void> {
    const { say } = this.#options;
    say('all is left alone');
    await this.#people.untilReady();
    this.#checkWriters();
    this.#checkNodes();
    say('the writers are deleted');
    await this.#people.clear();
    await patiently<boolean>(say, 'nothing of the volumes to be on the nodes', async () => {
      const rest = [...restOfVolumes(this.#lab, this.#lastNode.keys())];
      const attachments = await this.#people.attachments();
      if (attachments > 0) rest.push(`${attachments} VolumeAttachments`);
      return rest.length === 0 ? { value: true } : { last: rest.join('\n') };
    });
    this.#checkRecords(await this.#people.handles());
    say('the claims are deleted');
    await this.#people.deleteClaims();
    await patiently<boolean>(say, 'the volumes to be gone', async () => {
      const rest = [`${await this.#people.volumes()} volumes`, ...attachedNodes(this.#lab).keys()];
      return rest.join() === '0 volumes' ? { value: true } : { last: rest.join('\n') };
    });
  }

  #checkRecords(handles: ReadonlyMap<string, string>): void {
    for (const [volume, handle] of handles) {
      const log = logOn(this.#lab, handle);
      const lost = firstLost(log, this.#heard.last.get(volume) ?? 0);
      if (lost !== undefined) throw new Error(`${volume}: record ${lost} is lost, which was acknowledged`);
      const beside = overlapping(log);
      if (beside !== undefined) throw new Error(`${volume}: writer ${beside} wrote beside another`);
    }
  }
}
