import { draw, pick } from './draw.ts';

/** A person with a seat. */
export interface Person {
  index: number;
  /** Daily usage identifies people by this number, members and spend by `id`. */
  userId: number;
  id: string;
  name: string;
  email: string;
  role: 'owner' | 'member';
  group: Group;
}

/** A non-human user of models: a pipeline, a cloud agent. */
export interface ServiceAccount {
  index: number;
  serviceAccountId: string;
  name: string;
  email: string;
}

export type Actor = Person | ServiceAccount;
export const isPerson = (actor: Actor): actor is Person => 'userId' in actor;

export interface Group {
  id: string;
  name: string;
}

export const groups: readonly Group[] = ['Firmware', 'Navigation', 'Fleet', 'Web', 'Tooling'].map((name, index) => ({
  id: `group_${(0x5eed00 + index * 7919).toString(36)}`,
  name,
}));

const first =
  'Amara Bruno Chiara Deniz Elif Farid Greta Hugo Ines Joon Kavya Lars Mira Nuno Oona Petra Quirin Rosa Selma Tariq Uma Viktor Wanda Xenia Yusuf Zoe';
const last =
  'Adeyemi Bergqvist Castellan Dufour Eriksen Farkas Grimaldi Haddad Ivarsson Jansky Kowal Lindgren Marchetti Novak Okonkwo Petrov Quist Rahimi Santoro Tanaka Ulrich Vasquez Weiss Yilmaz Zeman';
const firstNames = first.split(' ');
const lastNames = last.split(' ');
const kindsOfWork = ['Nightly checks', 'Release notes', 'Dependency updates', 'Triage'];

export function personAt(seed: number, index: number, named?: { name: string; email: string }): Person {
  const name = named?.name ?? `${pick(firstNames, draw(seed, index, 1))} ${pick(lastNames, draw(seed, index, 2))}`;
  return {
    index,
    userId: 40_000 + index,
    id: `user_${draw(seed, index, 3).toString(36)}${index.toString(36).padStart(5, '0')}`,
    name,
    email: named?.email ?? `${name.toLowerCase().replace(' ', '.')}.${index}@larkmoor.example`,
    role: index === 0 ? 'owner' : 'member',
    group: pick(groups, draw(seed, index, 4)),
  };
}

export function serviceAccountAt(index: number, number: number): ServiceAccount {
  return {
    index,
    serviceAccountId: `sa_${(0x7a11 + number * 104_729).toString(36)}`,
    name: `${pick(kindsOfWork, number)}${number < kindsOfWork.length ? '' : ` ${number}`}`,
    email: `runner-${number}@larkmoor.example`,
  };
}
