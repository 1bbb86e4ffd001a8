import { afterAll, afterEach, expect } from 'vitest';
import { closePages, unexpectedComplaints } from './pages.js';

/* Runs before each test file. */

afterEach(() => expect(unexpectedComplaints()).toEqual([]));
afterAll(closePages);
