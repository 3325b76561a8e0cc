/**
 * The soak of volumes: SIGKILL of server, agents and containerds at random moments, while writers note what fsync acknowledged, and
 * while pods, claims and volumes come and go. In the end nothing that was acknowledged is lost, and nothing is left behind.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PersistentVolume } from '../../src/api/index.ts';
import { type Random, seededRandom } from '../../src/lib/index.ts';
import { Acknowledgements } from '../../tools/writers/acknowledgements.ts';
import { firstLost, overlapping, writerScript } from '../../tools/writers/fsync-writer.ts';
import { Api } from '../support/api-over-https.ts';
import { Lab } from '../support/lab.ts';
import { serverAddress } from '../support/lab-network.ts';
import { foldersOn, type FoundFolder, restOfPods } from './volume-disk.ts';
import { patiently } from './patiently.ts';
import { VolumePeople } from './volume-people.ts';
import { STRIKES } from './volume-strikes.ts';

export interface VolumesSoakOptions {
  readonly seed: number;
  readonly minutes: number;
  /** Mean time between two strikes, ms. */
  readonly everyMs?: number;
  readonly say: (line: string) => void;
  /** Third octet 10.N of the pods' network. */
  readonly podNetwork: number;
  readonly serviceCidr: string;
}

export interface VolumesSoakFigures {
  readonly strikes: number;
  readonly acts: number;
  readonly volumes: number;
  readonly writers: number;
  /** Records that fsync acknowledged. */
  readonly records: number;
  readonly kept: number;
  readonly removed: number;
  /** Folders of claims that were gone before they had a volume, at the end. */
  readonly unused: number;
}

const NODES = 2;
const EVERY_MS = 4000;
const ACT_EVERY_MS = 1200;
const LOOK_EVERY_MS = 1000;

/** Runs the soak; throws at the first fault, with the logs of all. */
export async function soakVolumes(options: VolumesSoakOptions): Promise<VolumesSoakFigures> {
  const lab = await Lab.create({
    nodes: NODES,
    clusterCidr: `10.${options.podNetwork}.0.0/16`,
    serverFlags: ['--service-cidr', options.serviceCidr],
    kubelet: { crashLoopBackOff: { maxContainerRestartPeriod: '1s' } },
  });
  const heard = await Acknowledgements.listen(serverAddress(lab.names));
  try {
    await lab.start();
    return await new VolumesSoak(options, lab, heard).run();
  } catch (error) {
    options.say(String(error));
    const logs = [lab.serverLog, ...lab.nodes.map(({ name, log }) => `${name}:\n${log}`)];
    throw new Error(`${String(error)}\n${logs.map((log) => log.slice(-6000)).join('\n')}`, { cause: error });
  } finally {
    await lab.down();
    await heard.close();
  }
}

class VolumesSoak {
  readonly #options: VolumesSoakOptions;
  readonly #lab: Lab;
  readonly #heard: Acknowledgements;
  readonly #people: VolumePeople;
  readonly #random: Random;
  /** All volumes that were ever seen on a disk. */
  readonly #seen = new Set<string>();
  #strikes = 0;
  #unused = 0;

  constructor(options: VolumesSoakOptions, lab: Lab, heard: Acknowledgements) {
    this.#options = options;
    this.#lab = lab;
    this.#heard = heard;
    this.#random = seededRandom(options.seed);
    const script = writerScript(serverAddress(lab.names), heard.port);
    this.#people = new VolumePeople(new Api(lab.kubeconfig), this.#random.split('people'), script, options.say);
  }

  async run(): Promise<VolumesSoakFigures> {
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
    const { acts, kept, given } = this.#people;
    return {
      strikes: this.#strikes,
      acts,
      volumes: this.#seen.size,
      writers,
      records,
      kept: kept.size,
      unused: this.#unused,
      removed: [...given].filter((name) => !kept.has(name) && this.#seen.has(name)).length,
    };
  }

  async #strike(isOver: () => boolean, over: AbortSignal): Promise<void> {
    const random = this.#random.split('strikes');
    const { everyMs = EVERY_MS, say } = this.#options;
    // Each way of striking comes once at first.
    for (let due = 0; ; due += 1) {
      await sleep(random.next() * 2 * everyMs);
      if (over.aborted || (isOver() && due >= STRIKES.length)) return;
      const strike = STRIKES[due] ?? STRIKES[Math.floor(random.next() * STRIKES.length)];
      const node = this.#lab.nodes[Math.floor(random.next() * NODES)];
      if (strike === undefined || node === undefined) continue;
      say(`  ${strike.name} (${node.name})`);
      await strike.strike(this.#lab, node, random);
      this.#strikes += 1;
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
      this.#checkWriters();
      // The claims of pods that own them are remembered.
      await this.#people.claims();
      await sleep(LOOK_EVERY_MS);
    }
  }

  #folders(): readonly FoundFolder[] {
    const all = this.#lab.nodes.flatMap((node) => foldersOn(node));
    for (const { name } of all) if (name.startsWith('pvc-')) this.#seen.add(name);
    return all;
  }

  /** Checks that every writer found all, and that none ever wrote beside another. */
  #checkWriters(): void {
    const [problem] = this.#heard.problems;
    if (problem !== undefined) throw new Error(problem);
    for (const { name, node, log } of this.#folders()) {
      const beside = overlapping(log);
      if (beside !== undefined) throw new Error(`${name} on ${node}: writer ${beside} wrote beside another`);
    }
  }

  async #end(): Promise<void> {
    const { say } = this.#options;
    say('all is left alone');
    await this.#people.settle();
    this.#checkWriters();
    await patiently<boolean>(say, 'volumes and folders to agree', async () => this.#agreement());
    this.#checkRecords();
    say('everything is deleted');
    await this.#people.clear();
    await patiently<boolean>(say, 'nothing to be left', async () => {
      const rest = this.#lab.nodes.flatMap((node) => restOfPods(node));
      return rest.length === 0 ? this.#agreement() : { last: rest.join('\n') };
    });
    this.#checkRecords();
    await this.#checkNamed();
  }

  /**
   * Each folder has its volume, or is one that was kept, or no pod ever had it, which the server removes a quarter of an hour
   * later. Each volume has its folder, and what was given away is gone.
   */
  async #agreement(): Promise<{ value: true } | { last: string }> {
    const volumes = await this.#people.volumes();
    const folders = this.#folders();
    const { kept, leftOver, given } = this.#people;
    const wrong: string[] = [];
    const all = await Promise.all(this.#lab.nodes.map(({ name }) => this.#people.foldersOf(name)));
    const unused = new Set(all.flat().flatMap((each) => (each.wasUsed === false ? [each.name] : [])));
    this.#unused = 0;
    for (const { name, node } of folders) {
      const volume = volumes.find(({ metadata }) => metadata?.name === name);
      if (volume === undefined && unused.has(name)) {
        this.#unused += 1;
        continue;
      }
      if (volume === undefined && !leftOver.has(name)) wrong.push(`${node} has ${name}, which is no volume`);
      if (volume !== undefined && nodeOf(volume) !== node) wrong.push(`${name} is on ${node}, and should not be`);
      if (given.has(name) && !kept.has(name)) wrong.push(`${node} still has ${name}, which was given away`);
    }
    const there = new Set(folders.map(({ name }) => name));
    for (const { metadata: { name = '' } = {} } of volumes) if (!there.has(name)) wrong.push(`${name} has no folder`);
    for (const name of kept) if (!there.has(name)) wrong.push(`${name}, which is kept, has no folder`);
    return wrong.length === 0 ? { value: true } : { last: wrong.join('\n') };
  }

  #checkRecords(): void {
    const folders = new Map(this.#folders().map((folder) => [folder.name, folder]));
    for (const [name, acknowledged] of this.#heard.last) {
      const folder = folders.get(name);
      if (folder === undefined) {
        if (isRemovable(name, this.#people)) continue;
        throw new Error(`the folder of ${name} is gone, with ${acknowledged} acknowledged records`);
      }
      const lost = firstLost(folder.log, acknowledged);
      if (lost !== undefined) throw new Error(`${name}: record ${lost} of ${acknowledged} acknowledged ones is lost`);
    }
  }

  /** A server that starts compares all folders, and names the left-overs. */
  async #checkNamed(): Promise<void> {
    const { say } = this.#options;
    await this.#lab.stopServer('SIGKILL');
    await this.#lab.startServer();
    await patiently<boolean>(say, 'the left-overs to be named', async () => {
      const told = (await this.#people.told('VolumeKept')).join('\n');
      const unnamed = [...this.#people.leftOver].filter((name) => this.#heard.last.has(name) && !told.includes(name));
      return unnamed.length === 0 ? { value: true } : { last: `${unnamed.join()} in ${told}` };
    });
    const lost = await this.#people.told('VolumeLost');
    if (lost.length > 0) throw new Error(`volumes are said to be lost: ${lost.join('\n')}`);
  }
}

/** Whether the volume was deleted with its claim: by a person, or with the pod that owned the claim. */
function isRemovable(
  name: string,
  { given, kept, scratch }: Pick<VolumePeople, 'given' | 'kept' | 'scratch'>,
): boolean {
  return !kept.has(name) && (given.has(name) || scratch.has(name));
}

function nodeOf({ spec }: PersistentVolume): string | undefined {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchExpressions = [] }) => matchExpressions.flatMap(({ values = [] }) => values))[0];
}
