/** ImageService over CRI v1. */
import { type Client, createClient } from '@connectrpc/connect';
import { ImageService as CriService } from '../gen/runtime_pb.js';
import {
  type CallOptions,
  type Image,
  type ImageFsInfo,
  type ImageService,
  type RegistryAuth,
  RuntimeError,
} from '../runtime.ts';
import { imageFromCri } from './from-cri.ts';
import type { GrpcSocket } from './grpc.node.ts';
import { authToCri } from './to-cri.ts';

/** No deadline: only the network decides how long a pull takes. */
const NO_TIMEOUT = 0;

export class CriImages implements ImageService {
  readonly #grpc: GrpcSocket;
  readonly #cri: Client<typeof CriService>;

  constructor(grpc: GrpcSocket) {
    this.#grpc = grpc;
    this.#cri = createClient(CriService, grpc.transport);
  }

  async list(options?: CallOptions): Promise<readonly Image[]> {
    const { images } = await this.#grpc.call((call) => this.#cri.listImages({}, call), options);
    return images.map(imageFromCri);
  }

  async status(image: string, options?: CallOptions): Promise<Image | undefined> {
    try {
      const found = await this.#grpc.call((call) => this.#cri.imageStatus({ image: { image } }, call), options);
      return found.image && imageFromCri(found.image);
    } catch (error) {
      if (error instanceof RuntimeError && error.code === 'NotFound') return undefined;
      throw error;
    }
  }

  async pull(image: string, auth: RegistryAuth | undefined, options: CallOptions = {}): Promise<string> {
    const request = { image: { image }, ...(auth && { auth: authToCri(auth) }) };
    const { imageRef } = await this.#grpc.call((call) => this.#cri.pullImage(request, call), {
      timeoutMs: NO_TIMEOUT,
      ...options,
    });
    return imageRef;
  }

  async remove(image: string, options?: CallOptions): Promise<void> {
    await this.#grpc.call((call) => this.#cri.removeImage({ image: { image } }, call), options);
  }

  async fsInfo(options?: CallOptions): Promise<ImageFsInfo> {
    const { imageFilesystems } = await this.#grpc.call((call) => this.#cri.imageFsInfo({}, call), options);
    const [first] = imageFilesystems;
    return {
      usedBytes: Number(first?.usedBytes?.value ?? 0n),
      ...(first?.inodesUsed && { inodesUsed: Number(first.inodesUsed.value) }),
      mountpoint: first?.fsId?.mountpoint ?? '',
    };
  }
}
