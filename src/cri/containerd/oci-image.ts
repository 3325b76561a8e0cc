/** Builds an image of one layer as an OCI archive, for machines without a registry. Pure: the same input, the same bytes. */
import { tar, type TarEntry } from './tar.ts';

export interface OciImage {
  /** Full reference with tag, e.g. "mendlet.dev/pause:1". */
  readonly name: string;
  readonly architecture: string;
  readonly files: readonly TarEntry[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly string[];
  readonly user?: string;
}

/** SHA-256 as lower-case hex. */
export type Sha256 = (data: Uint8Array) => string;

const EPOCH = '1970-01-01T00:00:00Z';
const OCI = 'application/vnd.oci.image';
const encoder = new TextEncoder();

/** The archive for `ctr images import` (or skopeo's `oci-archive:`). */
export function ociArchive(image: OciImage, sha256: Sha256): Uint8Array {
  const layer = tar(image.files);
  const config = json({
    created: EPOCH,
    architecture: image.architecture,
    os: 'linux',
    config: {
      ...(image.entrypoint && { Entrypoint: image.entrypoint }),
      ...(image.command && { Cmd: image.command }),
      ...(image.user !== undefined && { User: image.user }),
      Env: image.env ?? ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
      WorkingDir: '/',
    },
    rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(layer)}`] },
    history: [{ created: EPOCH, created_by: 'mendlet' }],
  });
  const descriptor = (mediaType: string, data: Uint8Array) => ({
    mediaType: `${OCI}.${mediaType}`,
    digest: `sha256:${sha256(data)}`,
    size: data.length,
  });
  const manifest = json({
    schemaVersion: 2,
    mediaType: `${OCI}.manifest.v1+json`,
    config: descriptor('config.v1+json', config),
    layers: [descriptor('layer.v1.tar', layer)],
  });
  const annotations = {
    'io.containerd.image.name': image.name,
    'org.opencontainers.image.ref.name': image.name.split(':').at(-1),
  };
  const index = json({
    schemaVersion: 2,
    manifests: [
      {
        ...descriptor('manifest.v1+json', manifest),
        platform: { architecture: image.architecture, os: 'linux' },
        annotations,
      },
    ],
  });
  const blob = (data: Uint8Array): TarEntry => ({
    type: 'file',
    path: `blobs/sha256/${sha256(data)}`,
    data,
    mode: 0o644,
  });
  return tar([
    { type: 'file', path: 'oci-layout', data: json({ imageLayoutVersion: '1.0.0' }), mode: 0o644 },
    { type: 'file', path: 'index.json', data: index, mode: 0o644 },
    { type: 'directory', path: 'blobs', mode: 0o755 },
    { type: 'directory', path: 'blobs/sha256', mode: 0o755 },
    ...[layer, config, manifest].map(blob),
  ]);
}

function json(value: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}
