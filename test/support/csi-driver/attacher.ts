/** Stands in for a driver's attacher, the sidecar that carries out VolumeAttachments (kubernetes-csi/external-attacher). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../api-over-https.ts';

const PATH = '/apis/storage.k8s.io/v1/volumeattachments';
const PERIOD_MS = 200;

export interface Attachment {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly attacher: string; readonly nodeName: string };
  readonly status?: { readonly attached?: boolean };
}

export interface AttacherOptions {
  readonly driver: string;
  /** Called before a volume is detached from a node. */
  readonly onDetach: (nodeName: string) => void;
}

export class Attacher {
  readonly #api: Api;
  readonly #options: AttacherOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  /** All that it did: "attach NODE", "detach NODE". */
  readonly done: string[] = [];

  constructor(api: Api, options: AttacherOptions) {
    this.#api = api;
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async list(): Promise<readonly Attachment[]> {
    const { items } = await this.#api.get<{ readonly items: readonly Attachment[] }>(PATH);
    return items.filter(({ spec }) => spec.attacher === this.#options.driver);
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        for (const each of await this.list()) await this.#look(each);
      } catch {
        // A server that is away is asked again.
      }
      await sleep(PERIOD_MS);
    }
  }

  async #look({ metadata, spec, status }: Attachment): Promise<void> {
    const path = `${PATH}/${metadata.name}`;
    const patch = async (target: string, body: object): Promise<void> => {
      const { code } = await this.#api.send('PATCH', target, body, 'application/merge-patch+json');
      if (code !== 200) throw new Error(`PATCH ${target}: ${code}`);
    };
    if (metadata.deletionTimestamp !== undefined) {
      this.#options.onDetach(spec.nodeName);
      await patch(path, { metadata: { uid: metadata.uid, finalizers: null } });
      this.done.push(`detach ${spec.nodeName}`);
    } else if (status?.attached !== true) {
      await patch(path, { metadata: { uid: metadata.uid, finalizers: [`external-attacher/${spec.attacher}`] } });
      const attachmentMetadata = { device: `/dev/of-${spec.nodeName}` };
      await patch(`${path}/status`, { status: { attached: true, attachmentMetadata } });
      this.done.push(`attach ${spec.nodeName}`);
    }
  }
}
