import { expect, it } from 'vitest';
import { maskHomeFolders, maskHomeFoldersIn } from './home-folders.js';

it('takes names of people out of paths, wherever these stand', () => {
  expect(maskHomeFolders('/home/ines/shop/.cursor/mcp.json')).toBe('/home/•/shop/.cursor/mcp.json');
  expect(maskHomeFolders('Users/Ines Otto/.cursor/mcp.json')).toBe('Users/•/.cursor/mcp.json');
  expect(maskHomeFolders('C:\\Users\\ines\\shop')).toBe('C:\\Users\\•\\shop');
  expect(maskHomeFolders('Server “files” is given a home folder (“/home/ines”).')).toBe(
    'Server “files” is given a home folder (“/home/•”).',
  );
  expect(maskHomeFolders('--volume=/home/ines:/data')).toBe('--volume=/home/•:/data');
});

it('leaves other paths as they are', () => {
  for (const path of ['/srv/homes/shop', 'my-home/page', '/opt/home', 'at home'])
    expect(maskHomeFolders(path)).toBe(path);
});

it('does so in each text of a value', () => {
  const value = { args: ['-v', 'file:///home/ines/notes'], count: 2, env: { A: null, B: '/Users/otto' }, isOn: true };
  expect(maskHomeFoldersIn(value)).toEqual({
    args: ['-v', 'file:///home/•/notes'],
    count: 2,
    env: { A: null, B: '/Users/•' },
    isOn: true,
  });
});
