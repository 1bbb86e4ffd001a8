/** Writes demo-documents/hardware/pika-3-data-sheet.pdf: `npx node run.js examples/make-demo-datasheet.ts`. The result is committed. */
import { writeFile } from 'node:fs/promises';
import { PDFDocument, StandardFonts } from 'pdf-lib';

const PAGES: { title: string; lines: string[] }[] = [
  {
    title: 'Pika 3: data sheet',
    lines: [
      'Document LM-DS-031, revision F, July 2026. Mechatronics, Larkmoor Robotics.',
      '',
      'Dimensions and weight',
      'Length 112 cm, width 58 cm, height 131 cm.',
      'Weight without load 94 kg. Payload up to 140 kg, at most 60 kg per drawer.',
      'Narrowest door: 75 cm. Steepest ramp: 6 degrees. Highest step: 12 mm.',
      '',
      'Driving',
      'Top speed 1.6 m/s, in quiet hours 0.5 m/s, in a convoy 1.2 m/s.',
      'Stopping distance at top speed with full load: 70 cm.',
      'Noise while driving: 46 dB(A) at one metre.',
    ],
  },
  {
    title: 'Energy',
    lines: [
      'Battery: lithium iron phosphate, 1,320 Wh, exchangeable in eight minutes by two people.',
      'Range: about 11 hours of mixed work, or 22 km.',
      'Charging on a Burrow: from 20 to 80 percent in 38 minutes, full in 75 minutes.',
      'Storage: at 40 to 60 percent charge between 5 and 25 degrees Celsius; recharge every four months.',
      'The battery is rated for 3,500 cycles to 72 percent of its capacity.',
      '',
      'Burrow charging dock',
      'Mains 230 V, 16 A. Output 58 V, 20 A. Weight 17 kg. Order number BW-2200.',
    ],
  },
  {
    title: 'Sensors, hygiene and certificates',
    lines: [
      'Two laser scanners (270 degrees, 20 m), four depth cameras, front and rear radar.',
      'The rear radar of the Pika 3 sees 200 cm.',
      '',
      'Surfaces withstand wiping with 70 percent ethanol and hydrogen peroxide up to 3 percent.',
      'Do not use chlorine above 1,000 ppm and do not steam-clean. Protection class IP 44.',
      '',
      'Certified to ISO 3691-4 and IEC 60601-1-2. Safety functions reach performance level d.',
      'Service interval: every 1,500 operating hours or 12 months, whichever comes first.',
    ],
  },
];

const pdf = await PDFDocument.create();
pdf.setTitle('Pika 3: data sheet');
pdf.setAuthor('Mechatronics');
const made = new Date('2026-07-01T00:00:00Z');
pdf.setCreationDate(made);
pdf.setModificationDate(made);
const body = await pdf.embedFont(StandardFonts.Helvetica);
const heading = await pdf.embedFont(StandardFonts.HelveticaBold);
for (const { title, lines } of PAGES) {
  const page = pdf.addPage([595, 842]);
  page.drawText(title, { x: 56, y: 770, size: 20, font: heading });
  lines.forEach((line, index) => page.drawText(line, { x: 56, y: 730 - index * 20, size: 10.5, font: body }));
}
await writeFile(new URL('./demo-documents/hardware/pika-3-data-sheet.pdf', import.meta.url), await pdf.save());
