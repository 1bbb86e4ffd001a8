import { expect, it } from 'vitest';
import { withoutPeople, withoutPeopleIn } from './home-folders.js';

it('takes names of people out of paths, wherever these stand', () => {
  expect(withoutPeople('/home/ines/shop/.cursor/mcp.json')).toBe('/home/•/shop/.cursor/mcp.json');
  expect(withoutPeople('Users/Ines Otto/.cursor/mcp.json')).toBe('Users/•/.cursor/mcp.json');
  expect(withoutPeople('C:\\Users\\ines\\shop')).toBe('C:\\Users\\•\\shop');
  expect(withoutPeople('Server “files” is given a home folder (“/home/ines”).')).toBe(
    'Server “files” is given a home folder (“/home/•”).',
  );
  expect(withoutPeople('--volume=/home/ines:/data')).toBe('--volume=/home/•:/data');
});

it('leaves other paths as they are', () => {
  for (const path of ['/srv/homes/shop', 'my-home/page', '/opt/home', 'at home'])
    expect(withoutPeople(path)).toBe(path);
});

it('does so in each text of a value', () => {
  const value = { args: ['-v', 'file:///home/ines/notes'], count: 2, env: { A: null, B: '/Users/otto' }, isOn: true };
  expect(withoutPeopleIn(value)).toEqual({
    args: ['-v', 'file:///home/•/notes'],
    count: 2,
    env: { A: null, B: '/Users/•' },
    isOn: true,
  });
});
