/** Names, and texts that have broken exports elsewhere: quotes, commas, line ends, accents, emoji, and what looks like a formula. */

/** The 58 counties in the order of their codes, with their region and thousands of inhabitants in 2020. */
export const COUNTIES: readonly (readonly [name: string, region: string, thousands: number])[] = [
  ['Alameda', 'Bay Area', 1_682],
  ['Alpine', 'Sierra', 1],
  ['Amador', 'Sierra', 41],
  ['Butte', 'North', 212],
  ['Calaveras', 'Sierra', 45],
  ['Colusa', 'North', 22],
  ['Contra Costa', 'Bay Area', 1_166],
  ['Del Norte', 'North', 28],
  ['El Dorado', 'Sierra', 191],
  ['Fresno', 'Central Valley', 1_009],
  ['Glenn', 'North', 29],
  ['Humboldt', 'North', 136],
  ['Imperial', 'South', 180],
  ['Inyo', 'Sierra', 19],
  ['Kern', 'Central Valley', 909],
  ['Kings', 'Central Valley', 152],
  ['Lake', 'North', 68],
  ['Lassen', 'North', 33],
  ['Los Angeles', 'South', 10_014],
  ['Madera', 'Central Valley', 156],
  ['Marin', 'Bay Area', 262],
  ['Mariposa', 'Sierra', 17],
  ['Mendocino', 'North', 92],
  ['Merced', 'Central Valley', 281],
  ['Modoc', 'North', 9],
  ['Mono', 'Sierra', 13],
  ['Monterey', 'Coast', 439],
  ['Napa', 'Bay Area', 138],
  ['Nevada', 'Sierra', 102],
  ['Orange', 'South', 3_187],
  ['Placer', 'Sierra', 405],
  ['Plumas', 'Sierra', 20],
  ['Riverside', 'South', 2_418],
  ['Sacramento', 'Central Valley', 1_585],
  ['San Benito', 'Coast', 64],
  ['San Bernardino', 'South', 2_182],
  ['San Diego', 'South', 3_299],
  ['San Francisco', 'Bay Area', 874],
  ['San Joaquin', 'Central Valley', 779],
  ['San Luis Obispo', 'Coast', 282],
  ['San Mateo', 'Bay Area', 764],
  ['Santa Barbara', 'Coast', 448],
  ['Santa Clara', 'Bay Area', 1_936],
  ['Santa Cruz', 'Coast', 271],
  ['Shasta', 'North', 182],
  ['Sierra', 'Sierra', 3],
  ['Siskiyou', 'North', 44],
  ['Solano', 'Bay Area', 453],
  ['Sonoma', 'Bay Area', 489],
  ['Stanislaus', 'Central Valley', 553],
  ['Sutter', 'North', 100],
  ['Tehama', 'North', 66],
  ['Trinity', 'North', 16],
  ['Tulare', 'Central Valley', 473],
  ['Tuolumne', 'Sierra', 56],
  ['Ventura', 'South', 844],
  ['Yolo', 'Central Valley', 216],
  ['Yuba', 'North', 82],
];

export const FIRST_NAMES: readonly string[] = (
  'Ana, Aaliyah, Amir, Araceli, Bao, Beatriz, Björn, Carlos, Chloé, Daniel, Dolores, Elena, Emeka, ' +
  'Françoise, Grace, Guadalupe, Hiroshi, Ingrid, Jamal, José, Jürgen, Katarzyna, Keisha, Lakshmi, ' +
  'Linh, Luz, Mahnaz, María, Mei, Nadia, Olga, Priya, Rosa, Samuel, Siobhán, Søren, Tatiana, Tuấn, ' +
  'Yusuf, Zoë'
).split(', ');

export const LAST_NAMES: readonly string[] = (
  "Abdi, Ångström, Bautista, Brown, Castañeda, Chen, Čapek, D'Angelo, Delgado, Dela Cruz, " +
  'Fernández, García, Green, Gutiérrez, Haile, Hernández, Hovhannisyan, Ibrahim, Johnson, Kaur, ' +
  "Kim, Kowalski, Lee, López, Martínez, Mitchell, Müller, Nakamura, Nguyễn, O'Brien, Okafor, " +
  'Øvergård, Park, Patel, Petrosyan, Phạm, Ramírez, Reyes, Robinson, Saelee, Sánchez, Santos, ' +
  'Singh, Smith-Jones, Tran, Vang, Vega, Williams, Wong, Xiong, Yang, Yılmaz, Zhou'
).split(', ');

export const LANGUAGES: readonly string[] = (
  'English, English, English, English, Spanish, Spanish, Spanish, Armenian, Cantonese, Mandarin, ' +
  'Vietnamese, Tagalog, Korean, Russian, Farsi, Hmong'
).split(', ');

export const COMMENTS: readonly string[] = [
  'Helped with bathing, dressing and breakfast',
  'Doctor’s appointment in the afternoon',
  'Recipient asked for "the other" cushion, see note',
  'Shopping, laundry; meals prepared for two days',
  'Overtime agreed with the county 👍',
  'Covered for a colleague who was ill',
  'First line\nsecond line: medication at 8:00, 12:00',
  'Spoke with Mrs. Müller’s daughter – très gentille',
  '=1+1',
  '=HYPERLINK("http://example.com","see note")',
  '+30 min for transport',
  '-0.5 h lunch break',
  '@home all day',
  '  leading blanks, trailing comma,',
  'Schlüssel beim Nachbarn; Straße gesperrt',
  'お茶を一緒に飲みました',
  'تمت الزيارة',
  '\tTab first',
];

export const NOTES: readonly string[] = [
  'Prefers mornings, no weekends',
  'CPR certified; renewal due',
  'Speaks "some" Spanish',
  'Lives with the recipient',
  "=cmd|' /C calc'!A0",
  'Payee changed, see letter of 3/4',
  '🚗 own car',
];
