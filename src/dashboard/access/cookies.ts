/** The session's cookie. Pure. */
import { cookieNameOf, type Place } from './place.ts';

/** As `Secrets.random` makes them. */
const VALUE = /^[A-Za-z0-9_-]{43}$/;

/** The value of this place's cookie; undefined: there is none, there are two, or it is no value of ours. */
export function cookieOf(header: string | undefined, place: Place): string | undefined {
  if (header === undefined) return undefined;
  const name = `${cookieNameOf(place)}=`;
  const values = header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(name))
    .map((part) => part.slice(name.length));
  const [value] = values;
  return values.length === 1 && value !== undefined && VALUE.test(value) ? value : undefined;
}

/** No Domain: it goes back to this host alone. No Max-Age: it ends with the browser. */
export function setCookie(place: Place, value: string): string {
  return `${cookieNameOf(place)}=${value}; ${attributes(place)}`;
}

export function clearCookie(place: Place): string {
  return `${cookieNameOf(place)}=; Max-Age=0; ${attributes(place)}`;
}

function attributes({ isTls }: Place): string {
  return `Path=/; HttpOnly; SameSite=Strict${isTls ? '; Secure' : ''}`;
}
