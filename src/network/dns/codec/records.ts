/** Records of the DNS as values. Pure. */
import type { DnsName } from './name.ts';
import type { TYPE } from './wire.ts';

export type RecordData =
  /** `address`: as text; of IPv4 or of IPv6. */
  | { readonly type: typeof TYPE.A | typeof TYPE.AAAA; readonly address: string }
  | { readonly type: typeof TYPE.CNAME | typeof TYPE.PTR | typeof TYPE.NS; readonly target: DnsName }
  | {
      readonly type: typeof TYPE.SRV;
      readonly priority: number;
      readonly weight: number;
      readonly port: number;
      readonly target: DnsName;
    }
  /** Strings of at most 255 bytes. */
  | { readonly type: typeof TYPE.TXT | typeof TYPE.HINFO; readonly texts: readonly string[] }
  | {
      readonly type: typeof TYPE.SOA;
      readonly server: DnsName;
      readonly contact: DnsName;
      readonly serial: number;
      /** Seconds: how long an answer that denies something may be kept. */
      readonly minimum: number;
    };

export type DnsRecord = { readonly name: DnsName; readonly ttl: number } & RecordData;

/** What a server answers; the records of one name and type stand together. */
export interface Answer {
  readonly code: number;
  readonly authoritative: boolean;
  readonly answers: readonly DnsRecord[];
  readonly authority: readonly DnsRecord[];
  readonly additional: readonly DnsRecord[];
}
