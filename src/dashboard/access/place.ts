/** Where the page is served, and the names that follow from that. Pure. */

export interface Place {
  /** "mendlet-k3v0….localhost", or the host of --listen beyond loopback. */
  readonly name: string;
  readonly port: number;
  readonly isTls: boolean;
  /** A random text of this mendlet's own, for its cookie's name. */
  readonly id: string;
}

/** The only value of the Host header that is served. */
export function hostOf({ name, port, isTls }: Place): string {
  return port === (isTls ? 443 : 80) ? name : `${name}:${port}`;
}

export function originOf(place: Place): string {
  return `${place.isTls ? 'https' : 'http'}://${hostOf(place)}`;
}

/** Cookies know no ports: the name is another one for each mendlet. With TLS the prefix has browsers refuse forgeries. */
export function cookieNameOf({ id, isTls }: Place): string {
  return `${isTls ? '__Host-' : ''}mendlet-${id}`;
}

/** The link that a person opens: the code is in the fragment, which no server, log or Referer header ever gets. */
export function linkOf(place: Place, code: string): string {
  return `${originOf(place)}/#login=${code}`;
}
