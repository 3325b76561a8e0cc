import { describe, expect, it } from 'vitest';
import type { Container, Pod, Secret } from '../../api/index.ts';
import { type Image, type ImageService, type RegistryAuth, RuntimeError } from '../../cri/index.ts';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock, type ManualClock, settle } from '../../lib/manual-clock.node.ts';
import { base64Text } from '../base64.ts';
import type { ConfigSource } from '../env/config-source.ts';
import type { ImageManager } from '../types.ts';
import { createImageManager } from './image-manager.ts';

/** Images of a table, and a registry that answers as it is told. */
class TableImages implements Pick<ImageService, 'status' | 'pull'> {
  readonly present = new Map<string, Image>();
  readonly pulls: { readonly image: string; readonly auth: RegistryAuth | undefined }[] = [];
  registry: (image: string, auth: RegistryAuth | undefined) => Promise<void> = async () => {};
  status = async (image: string): Promise<Image | undefined> => this.present.get(image);
  pull = async (image: string, auth: RegistryAuth | undefined): Promise<string> => {
    this.pulls.push({ image, auth });
    await this.registry(image, auth);
    this.present.set(image, {
      id: `id-${image}`,
      repoTags: [],
      repoDigests: [],
      sizeBytes: 1234,
      pinned: false,
      uid: 7,
    });
    return `id-${image}`;
  };
}

interface World {
  readonly clock: ManualClock;
  readonly images: TableImages;
  readonly manager: ImageManager;
  readonly events: string[];
  dirty: number;
}

function world(secrets: Readonly<Record<string, Secret>> = {}, settings?: { maxParallelImagePulls: number }): World {
  const clock = createManualClock();
  const images = new TableImages();
  const events: string[] = [];
  const config: ConfigSource = { configMap: async () => undefined, secret: async (_, name) => secrets[name] };
  const result: World = {
    clock,
    images,
    events,
    dirty: 0,
    manager: createImageManager({
      clock,
      logger: silentLogger,
      images,
      config,
      events: { pod: (_, type, reason, message) => events.push(`${type} ${reason} ${message}`), node: () => {} },
      markDirty: () => {
        result.dirty += 1;
      },
      ...(settings === undefined ? {} : { settings }),
    }),
  };
  return result;
}

function pod(container: Partial<Container>, uid = 'u', secrets: readonly string[] = []): Pod {
  return {
    metadata: { name: 'p', namespace: 'ns', uid },
    spec: {
      containers: [{ name: 'app', image: 'busybox:1', imagePullPolicy: 'IfNotPresent', ...container }],
      imagePullSecrets: secrets.map((name) => ({ name })),
    },
  };
}

const image = (id: string): Image => ({ id, repoTags: [], repoDigests: [], sizeBytes: 1, pinned: false });

describe('pull policies', () => {
  it('takes what is present', async () => {
    const w = world();
    w.images.present.set('busybox:1', image('sha256:1'));
    w.manager.request(pod({}), 'app', 0);
    expect(w.manager.fact('u', 'app', 0)).toEqual({ state: 'pulling' });
    await settle();
    expect(w.manager.fact('u', 'app', 0)).toEqual({ state: 'present', imageId: 'sha256:1' });
    expect([w.dirty, w.manager.fact('u', 'app', 1)]).toEqual([1, undefined]);
    expect(w.events).toEqual([
      'Normal Pulled Container image "busybox:1" already present on machine and can be accessed by the pod',
    ]);
  });

  it('pulls what is not, and says how long it took', async () => {
    const w = world();
    w.images.registry = async () => w.clock.sleep(1234);
    w.manager.request(pod({}), 'app', 0);
    w.manager.request(pod({}), 'app', 0);
    await w.clock.advance(2000);
    expect(w.manager.fact('u', 'app', 0)).toEqual({ state: 'present', imageId: 'id-busybox:1', user: { uid: 7 } });
    expect(w.images.pulls).toEqual([{ image: 'busybox:1', auth: undefined }]);
    expect(w.events).toEqual([
      'Normal Pulling Pulling image "busybox:1"',
      'Normal Pulled Successfully pulled image "busybox:1" in 1.234s (1.234s including waiting). Image size: 1234 bytes.',
    ]);
  });

  it('pulls once per start with Always', async () => {
    const w = world();
    for (const attempt of [0, 0, 1]) {
      w.manager.request(pod({ imagePullPolicy: 'Always' }), 'app', attempt);
      await settle();
    }
    expect(w.images.pulls.length).toBe(2);
  });

  it('never pulls with Never, and finds what is imported later', async () => {
    const w = world();
    const spec = pod({ imagePullPolicy: 'Never' });
    w.manager.request(spec, 'app', 0);
    await settle();
    expect(w.manager.fact('u', 'app', 0)).toMatchObject({
      state: 'failed',
      reason: 'ErrImageNeverPull',
      message: 'Container image "busybox:1" is not present with pull policy of Never',
    });
    w.images.present.set('busybox:1', image('sha256:1'));
    await w.clock.advance(5000);
    w.manager.request(spec, 'app', 0);
    await settle();
    expect(w.manager.fact('u', 'app', 0)?.state).toBe('present');
    expect(w.images.pulls).toEqual([]);
  });

  it('refuses a name that is none', async () => {
    const w = world();
    w.manager.request(pod({ image: 'Not An Image' }), 'app', 0);
    await settle();
    expect(w.manager.fact('u', 'app', 0)).toMatchObject({ state: 'failed', reason: 'InvalidImageName' });
  });
});

describe('failed pulls', () => {
  it('back off from 10 s to 5 min, first shown as the error itself', async () => {
    const w = world();
    const spec = pod({});
    w.images.registry = () => Promise.reject(new RuntimeError('NotFound', 'no such image'));
    const times: number[] = [];
    const begun = w.clock.now().mono;
    for (let second = 0; second < 1000; second++) {
      const before = w.images.pulls.length;
      w.manager.request(spec, 'app', 0);
      await settle();
      if (w.images.pulls.length > before) times.push(w.clock.now().mono - begun);
      await w.clock.advance(1000);
    }
    expect(times).toEqual([0, 10_000, 30_000, 70_000, 150_000, 310_000, 610_000, 910_000]);
    expect(w.events.slice(0, 6)).toEqual([
      'Normal Pulling Pulling image "busybox:1"',
      'Warning Failed Failed to pull image "busybox:1": no such image',
      'Warning Failed Error: ErrImagePull',
      'Normal BackOff Back-off pulling image "busybox:1"',
      'Warning Failed Error: ImagePullBackOff',
      'Normal Pulling Pulling image "busybox:1"',
    ]);
    w.manager.request(spec, 'app', 1);
    await settle();
    expect(w.manager.fact('u', 'app', 1)).toMatchObject({
      reason: 'ImagePullBackOff',
      message: 'Back-off pulling image "busybox:1": ErrImagePull: no such image',
    });
    w.manager.forget('u');
    expect(w.clock.pendingTimers).toBe(0);
  });

  it('end early when they are told to, and wait no less after that', async () => {
    const w = world();
    w.images.registry = () => Promise.reject(new RuntimeError('NotFound', 'no such image'));
    const spec = pod({});
    const ask = async (): Promise<number> => {
      w.manager.request(spec, 'app', 0);
      await settle();
      return w.images.pulls.length;
    };
    expect(await ask()).toBe(1);
    await w.clock.advance(11_000);
    expect(await ask()).toBe(2);
    expect(await ask()).toBe(2);
    w.manager.afresh('other');
    expect(await ask()).toBe(2);
    w.manager.afresh('u');
    expect(await ask()).toBe(3);
    await w.clock.advance(39_000);
    expect(await ask()).toBe(3);
    await w.clock.advance(2000);
    expect(await ask()).toBe(4);
  });

  it('show ErrImagePull for a moment', async () => {
    const w = world();
    w.images.registry = () => Promise.reject(new RuntimeError('Unknown', 'RegistryUnavailable: down'));
    w.manager.request(pod({}), 'app', 0);
    await w.clock.advance(1000);
    expect(w.manager.fact('u', 'app', 0)).toMatchObject({ reason: 'RegistryUnavailable' });
    w.images.registry = () => Promise.reject(new RuntimeError('Unknown', 'denied'));
    w.manager.request(pod({}, 'v'), 'app', 0);
    await w.clock.advance(1000);
    expect(w.manager.fact('v', 'app', 0)).toMatchObject({ reason: 'ErrImagePull', message: 'denied' });
    await w.clock.advance(3000);
    expect(w.manager.fact('v', 'app', 0)).toMatchObject({ reason: 'ImagePullBackOff' });
  });
});

describe('shared pulls', () => {
  it('are one for the same image, and few at once', async () => {
    const w = world();
    const gate = Promise.withResolvers<void>();
    w.images.registry = () => gate.promise;
    for (let i = 0; i < 8; i++) w.manager.request(pod({ image: `image-${i % 7}` }, `u${i}`), 'app', 0);
    await settle();
    expect(w.images.pulls.map(({ image: name }) => name)).toEqual([0, 1, 2, 3, 4].map((i) => `image-${i}:latest`));
    gate.resolve();
    await settle();
    expect(w.images.pulls.length).toBe(7);
    expect(w.manager.fact('u7', 'app', 0)?.state).toBe('present');
  });

  it('are as few at once as was set', async () => {
    const w = world({}, { maxParallelImagePulls: 1 });
    w.images.registry = () => new Promise(() => {});
    for (let i = 0; i < 3; i++) w.manager.request(pod({ image: `image-${i}` }, `u${i}`), 'app', 0);
    await settle();
    expect(w.images.pulls.length).toBe(1);
  });
});

describe('pull secrets', () => {
  const config = { auths: { 'reg.test': { username: 'me', password: 'secret' } } };
  const secret: Secret = {
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': base64Text(new TextEncoder().encode(JSON.stringify(config))) },
  };

  it('are used where they fit, and missed with a word', async () => {
    const w = world({ good: secret });
    w.manager.request(pod({ image: 'reg.test/app' }, 'u', ['good', 'missing']), 'app', 0);
    w.manager.request(pod({ image: 'other.test/app' }, 'v', ['good']), 'app', 0);
    await settle();
    const users = Object.fromEntries(w.images.pulls.map(({ image: name, auth }) => [name, auth?.username]));
    expect(users).toEqual({ 'reg.test/app:latest': 'me', 'other.test/app:latest': undefined });
    expect(w.events).toContain(
      'Warning FailedToRetrieveImagePullSecret Unable to retrieve some image pull secrets (missing); attempting to pull the image may not succeed.',
    );
    expect(w.events.join()).not.toContain('secret"');
  });
});
