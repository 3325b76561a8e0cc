/** A webhook that converts objects, behind real TLS on loopback, which can be made to misbehave. */
import { once } from 'node:events';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemSigner } from '../../src/apiserver/edge/signer.node.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

export interface ConversionWebhook {
  readonly port: number;
  /** Base64 of the authority's certificate, as definitions have it. */
  readonly caBundle: string;
  /** The reviews that came, the first one first. */
  readonly reviews: Loose[];
  /** Host and path of the requests. */
  readonly asked: string[];
  /** Answers in place of the conversion. */
  behave: ((review: Loose, answer: (status: number, body: unknown, headers?: object) => void) => void) | undefined;
  close(): Promise<void>;
}

/** "host:port" in v1 is two fields in v2. */
export function convertEndpoint(object: Loose, apiVersion: string): Loose {
  const { spec, ...rest } = object;
  const { hostPort, host, port, ...others } = spec ?? {};
  if (apiVersion.endsWith('/v1')) return { ...rest, apiVersion, spec: { ...others, hostPort: `${host}:${port}` } };
  const [name, number] = String(hostPort).split(':');
  return { ...rest, apiVersion, spec: { ...others, host: name, port: Number(number) } };
}

export function converted({ apiVersion, kind, request }: Loose, change: (object: Loose) => Loose = (o) => o): Loose {
  const convertedObjects = request.objects.map((object: Loose) =>
    change(convertEndpoint(object, request.desiredAPIVersion)),
  );
  return { apiVersion, kind, response: { uid: request.uid, result: { status: 'Success' }, convertedObjects } };
}

/** @param names those of its certificate */
export async function startConversionWebhook(names: readonly string[]): Promise<ConversionWebhook> {
  const validity = { notBefore: Date.now() - 3_600_000, notAfter: Date.now() + 3_600_000 };
  const authority = await systemSigner.createAuthority({ commonName: 'test', ...validity });
  const pair = await systemSigner.issue(authority, {
    commonName: 'webhook',
    organizations: [],
    usage: 'server',
    dnsNames: names,
    ipAddresses: [],
    ...validity,
  });
  const server = https.createServer({ cert: pair.certificatePem, key: pair.keyPem }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(pieces).toString());
      webhook.reviews.push(review);
      webhook.asked.push(`${request.headers.host}${request.url}`);
      const answer = (status: number, body: unknown, headers: object = {}): void => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      };
      if (webhook.behave === undefined) answer(200, converted(review));
      else webhook.behave(review, answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const webhook: ConversionWebhook = {
    port: (server.address() as AddressInfo).port,
    caBundle: Buffer.from(authority.certificatePem).toString('base64'),
    reviews: [],
    asked: [],
    behave: undefined,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return webhook;
}
