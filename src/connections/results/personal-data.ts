import { findPhoneNumbersInText } from 'libphonenumber-js/min';

/*
 * Personal data that its form gives away. Every pattern has bounded repetitions, so that the time grows linearly with
 * the text. Checksums decide about numbers.
 */

type PersonalKind = 'email' | 'phone' | 'iban' | 'card';
type Replace = (value: string, kind: PersonalKind) => string;

const emailAddress =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{N}-]{1,62}/gu;
const ibanStart = /(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}/g;
const digitGroups = /(?<![\p{L}\p{N}._-])[0-9]+(?:[ -][0-9]+)*(?![\p{L}\p{N}_])/gu;
/** International form only: without a country, a local number looks like any other number. */
const phoneCandidate =
  /(?<![\p{L}\p{N}])(?:[+＋]|00(?=[1-9]))[ (]{0,2}[0-9](?:[ ()./-]{0,3}[0-9]){6,16}(?![\p{L}\p{N}])/gu;

export function replacePersonalData(text: string, replace: Replace): string {
  let redacted = text;
  if (text.includes('@')) redacted = redacted.replace(emailAddress, (value) => replace(value, 'email'));
  if (!hasLongNumber.test(redacted)) return redacted;
  redacted = replaceIbans(redacted, replace);
  redacted = redacted.replace(digitGroups, (groups) => replaceCards(groups, replace));
  return redacted.replace(phoneCandidate, (value) => replacePhone(value, replace));
}

const hasLongNumber = /[0-9](?:[ ()./-]{0,3}[0-9]){6}|[A-Za-z]{2}[0-9]{2}[ -]?[A-Za-z]{4}/;

/** Lengths of the account numbers by country. */
const ibanLengths: Record<string, number> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 ' +
    'GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 ' +
    'MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 ' +
    'TN24 TR26 UA29 VA22 VG24 XK20'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** The country determines the length, so the words after a number do not matter. */
function replaceIbans(text: string, replace: Replace): string {
  const parts: string[] = [];
  let copied = 0;
  for (const { 0: start, index } of text.matchAll(ibanStart)) {
    const length = ibanLengths[start.slice(0, 2).toUpperCase()];
    if (!length || index < copied) continue;
    let end = index;
    for (let count = 0; count < length && end < text.length; end++) {
      if (/[A-Za-z0-9]/.test(text[end])) count++;
      else if (!/[ -]/.test(text[end])) break;
    }
    const value = text.slice(index, end);
    if (/[A-Za-z0-9]/.test(text[end] ?? '') || !isIban(value, length)) continue;
    parts.push(text.slice(copied, index), replace(value, 'iban'));
    copied = end;
  }
  return parts.join('') + text.slice(copied);
}

/** ISO 13616: the number after moving the first four characters to the end leaves the remainder 1. */
function isIban(text: string, length: number): boolean {
  const compact = text.replace(/[ -]/g, '').toUpperCase();
  if (compact.length !== length) return false;
  const digits = (compact.slice(4) + compact.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

const maxCardLength = 19;

/** A number may stand among other numbers: "order 12 4111 1111 1111 1111 exp 12". */
function replaceCards(text: string, replace: Replace): string {
  const groups = [...text.matchAll(/[0-9]+/g)].map(({ 0: digits, index }) => ({
    digits,
    from: index,
    to: index + digits.length,
  }));
  const parts: string[] = [];
  let copied = 0;
  for (let first = 0; first < groups.length; first++) {
    let digits = '';
    for (let last = first; last < groups.length && digits.length < maxCardLength; last++) {
      digits += groups[last].digits;
      if (!isCardNumber(digits)) continue;
      parts.push(text.slice(copied, groups[first].from), replace(digits, 'card'));
      copied = groups[last].to;
      first = last;
      break;
    }
  }
  return parts.join('') + text.slice(copied);
}

/** Prefix and length of an issuer, and the checksum of Luhn. */
export function isCardNumber(digits: string): boolean {
  if (!issuerForm.test(digits) || /^([0-9])\1+$/.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const weighted = at % 2 ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

const issuerForm =
  /^(?:4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})|5[1-5][0-9]{14}|2(?:2[2-9]|[3-6][0-9]|7[01])[0-9]{13}|3[47][0-9]{13}|3(?:0[0-5]|[689][0-9])[0-9]{11}|35[0-9]{14}|6(?:011|4[4-9][0-9]|5[0-9]{2})[0-9]{12}|62[0-9]{14,17}|220[0-4][0-9]{12})$/;

function replacePhone(candidate: string, replace: Replace): string {
  const international = candidate.replace(/^(?:＋|00)/, '+');
  const offset = candidate.length - international.length;
  const [found] = findPhoneNumbersInText(international);
  if (!found) return candidate;
  const end = found.endsAt + offset;
  return replace(candidate.slice(0, end), 'phone') + candidate.slice(end);
}
