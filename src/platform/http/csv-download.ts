import type { Response } from 'express';
import { StreamedDownload } from './download.js';

export const csvDownload = (response: Response, name: string): StreamedDownload =>
  new StreamedDownload(response, name, 'text/csv; charset=utf-8; header=present');
