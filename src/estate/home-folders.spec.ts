import { expect, it } from 'vitest';
import { maskHomeFolders, maskHomeFoldersIn } from './home-folders.js';

it('masks names of people in paths anywhere in a text', () => {
  expect(maskHomeFolders('/home/ines/shop/.cursor/mcp.json')).toBe('/home/•/shop/.cursor/mcp.json');
  expect(maskHomeFolders('Users/Ines Otto/.cursor/mcp.json')).toBe('Users/•/.cursor/mcp.json');
  expect(maskHomeFolders('C:\\Users\\ines\\shop')).toBe('C:\\Users\\•\\shop');
  expect(maskHomeFolders('Server “files” is given a home folder (“/home/ines”).')).toBe(
    'Server “files” is given a home folder (“/home/•”).',
  );
  expect(maskHomeFolders('--volume=/home/ines:/data')).toBe('--volume=/home/•:/data');
});

it('leaves other paths unchanged', () => {
  for (const path of ['/srv/homes/shop', 'my-home/page', '/opt/home', 'at home'])
    expect(maskHomeFolders(path)).toBe(path);
});

it('masks all strings of a value', () => {
  const value = { args: ['-v', 'file:///home/ines/notes'], count: 2, env: { A: null, B: '/Users/otto' }, isOn: true };
  expect(maskHomeFoldersIn(value)).toEqual({
    args: ['-v', 'file:///home/•/notes'],
    count: 2,
    env: { A: null, B: '/Users/•' },
    isOn: true,
  });
});
