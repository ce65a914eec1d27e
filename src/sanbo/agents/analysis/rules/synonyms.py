"""Words for one thing in both languages: columns, places, usual values. Data only."""

from collections.abc import Mapping
from typing import Final


def words(text: str) -> tuple[str, ...]:
    """Written with bars between them, so that a family stands on a line or two."""
    return tuple(text.split("|"))


CONCEPTS: Final[Mapping[str, tuple[str, ...]]] = {
    "sales": words(
        "売上|売上高|売上金額|売上額|販売額|販売金額|販売高|売上実績|sales|revenue|"
        "sales amount|turnover|sold|売れ|earnings"
    ),
    "money": words(
        "金額|額|amount|money|total amount|合計金額|支払額|支払金額|経費|費用|支出|"
        "代金|購入額|購入金額|利用額|利用金額|請求額|請求金額|取引額|spend|"
        "spending|spent|expense|cost|order value|order total|order amount|"
        "total price|total value"
    ),
    "quantity": words(
        "数量|個数|販売数|販売数量|売上数量|販売個数|quantity|qty|units|units sold|pieces"
    ),
    "profit": words("利益|利益額|営業利益|profit|profits|profitability|gain"),
    "gross_profit": words("粗利|粗利益|売上総利益|gross profit|gross margin"),
    "cost": words("原価|仕入|仕入額|仕入原価|コスト|cost|unit cost"),
    "expense": words("経費|費用|支出|expense|expenses|expenditure"),
    "price": words("単価|価格|値段|販売価格|定価|price|unit price|expensive|cheapest|priciest"),
    "budget": words("予算|budget"),
    "target": words("目標|計画|ノルマ|target|goal|plan"),
    "actual": words("実績|actual|result"),
    "discount": words("割引|値引|値引き|discount"),
    "tax": words("税|消費税|税額|tax"),
    "store": words("店舗|店|店名|店舗名|支店|ショップ|お店|store|shop|branch|outlet"),
    "region": words("地域|エリア|地区|地方|region|area|zone|territory"),
    "prefecture": words("都道府県|県|府県|prefecture|state"),
    "city": words("市区町村|都市|市町村|city|town"),
    "country": words("国|国名|原産国|country|nation|origin|country of origin|place of origin"),
    "category": words(
        "カテゴリ|分類|種別|種類|ジャンル|区分|商品分類|category|type|class|genre|kind"
    ),
    "product": words("商品|製品|品目|商品名|製品名|品名|アイテム|product|item|goods|sku"),
    "customer": words("顧客|お客様|お客さん|客|会員|取引先|得意先|顧客名|customer|client|buyer"),
    "employee": words(
        "社員|従業員|氏名|名前|職員|スタッフ|社員名|人|誰|employee|staff|worker|name|"
        "who|person|people"
    ),
    "person_in_charge": words(
        "担当|担当者|営業担当|オーナー|assignee|agent|rep|salesperson|owner|person in charge"
    ),
    "department": words("部署|部門|所属|課|department|dept|division|section|team"),
    "position": words("役職|職位|等級|position|job title|grade|rank"),
    "date": words("日付|年月日|日時|date|day|timestamp"),
    "order": words("注文|受注|オーダー|order"),
    "age": words("年齢|歳|最年長|最年少|age|oldest|youngest"),
    "gender": words("性別|男女|gender|sex"),
    "salary": words("年収|給与|給料|月給|賃金|salary|pay|wage|annual income"),
    "tenure": words("勤続年数|勤続|tenure|years of service"),
    "satisfaction": words("満足度|満足|satisfaction|csat"),
    "rating": words("評価|評点|スコア|点数|得点|rating|score|grade|stars"),
    "stock": words("在庫|在庫数|在庫量|stock|inventory|on hand"),
    "rent": words("家賃|賃料|rent"),
    "floor_area": words("面積|広さ|専有面積|床面積|floor area|floor space|square meters"),
    "layout": words("間取り|layout|floor plan"),
    "building_age": words("築年数|築年|building age"),
    "walk": words("徒歩|駅徒歩|徒歩分|walk|walking time|minutes to station"),
    "ward": words("区|ward"),
    "station": words("駅|最寄駅|最寄り駅|station|nearest station"),
    "defects": words("不良|不良数|不良品|不良品数|defect|defects|defective"),
    "defect_rate": words("不良率|defect rate|failure rate"),
    "production": words(
        "生産|生産数|生産量|製造数|出来高|production|output|produced|units produced"
    ),
    "inspection": words("検査|検査数|inspected|inspection"),
    "overtime": words("残業|残業時間|時間外|overtime|overtime hours"),
    "work_hours": words(
        "勤務時間|労働時間|実働|実働時間|稼働時間|working hours|hours worked|work hours"
    ),
    "clock_in": words("出勤時刻|出社時刻|始業|出勤時間|clock in|start time|arrival time"),
    "clock_out": words("退勤時刻|退社時刻|終業|退勤時間|clock out|end time|leaving time"),
    "status": words("状態|状況|ステータス|status"),
    "priority": words("優先度|優先順位|緊急度|priority|urgency|severity"),
    "channel": words("チャネル|経路|流入元|媒体|channel|source"),
    "payment": words("支払方法|決済方法|決済|支払い方法|payment|payment method"),
    "shipping": words("送料|配送料|shipping|shipping fee|freight"),
    "segment": words("セグメント|層|segment"),
    "visitors": words("来客数|来店客数|客数|来場者数|visitors|visits|customers served|footfall"),
    "factory": words("工場|factory|plant|site"),
    "line": words("ライン|line|production line"),
    "machine": words("機械|設備|machine|equipment"),
    "shift": words("シフト|勤務帯|直|shift"),
    "supplier": words("仕入先|サプライヤー|業者|supplier|vendor"),
    "warehouse": words("倉庫|保管場所|warehouse"),
    "account": words("費目|勘定科目|科目|経費区分|expense type|account title|expense category"),
    "applicant": words("申請者|applicant|requester|submitter"),
    "hired": words("入社|入社日|入社年月日|採用日|hire date|joined|hired|joining date"),
    "created": words(
        "作成日|登録日|受付日|起票日|開始日|created|opened|created at|opened at|"
        "creation date|created date|opening date|start date"
    ),
    "closed": words(
        "完了日|解決日|対応日|終了日|closed|resolved|completed at|closed at|closing "
        "date|close date|closed date|completion date|end date"
    ),
    "resolution_time": words(
        "解決時間|対応時間|処理時間|resolution time|response time|handling time|time to resolve"
    ),
    "reason": words("理由|reason"),
    "question": words("質問|設問|question"),
    "temperature": words("気温|温度|temperature"),
    "population": words("人口|population"),
    "weight": words("重量|重さ|体重|weight"),
    "height": words("身長|高さ|height"),
    "length": words("長さ|上映時間|length|duration|running time|run time|runtime|how long"),
    "fuel": words("燃費|mpg|mileage|fuel economy|fuel efficiency|gas mileage|miles per gallon"),
    "power": words("馬力|horsepower|horse power|hp"),
    "worldwide": words("世界|worldwide|ww|world wide|global"),
    "paid_leave": words("有給|有休|有給残|有給日数|paid leave|vacation"),
    "project": words("案件|プロジェクト|project|deal"),
    "contract": words("契約|contract"),
    "year": words("年|西暦|year"),
    "month": words("月|month"),
    "brand": words("ブランド|メーカー|brand|maker|manufacturer"),
    "size": words("サイズ|size"),
    "colour": words("色|カラー|color|colour"),
    "office": words("営業所|拠点|事業所|支社|office|location|site"),
    "carrier": words("運送会社|配送会社|運送業者|配送業者|carrier|delivery company"),
    "consignor": words("荷主|荷送人|shipper|consignor"),
    "freight": words("運賃|輸送費|配送費|freight|freight charge|shipping cost"),
    "distance": words("距離|走行距離|distance"),
    "delay": words("遅延|遅れ|delay|delayed|late"),
    "clinic": words("診療科|科|department|clinic|specialty"),
    "doctor": words("担当医|医師|ドクター|主治医|doctor|physician"),
    "waiting": words("待ち時間|waiting time|wait time|wait|waiting"),
    "mathematics": words("数学|算数|math|maths|mathematics"),
    "native_language": words("国語|japanese"),
    "english": words("英語|english"),
    "school_class": words("クラス|学級|組|class|homeroom"),
    "club": words("部活|部活動|クラブ|club"),
    "absence": words("欠席日数|欠席|absence|absences|days absent"),
    "yield": words("歩留まり|歩留|良品率|yield|yield rate"),
    "part_number": words("品番|型番|part number|model number"),
    "operator": words("作業者|作業員|オペレーター|operator|worker"),
    "lot": words("ロット|ロット番号|lot|batch"),
    "lead": words("リード|見込み客|lead|prospect"),
    "advertising": words(
        "広告費|広告宣伝費|宣伝費|ad spend|ad cost|advertising spend|marketing spend"
    ),
    "electricity": words("電気代|電気料金|電力料金|electricity|electricity bill|power bill"),
    "gas": words("ガス代|ガス料金|gas|gas bill"),
    "water": words("水道代|水道料金|water|water bill"),
    "title": words("題名|タイトル|件名|title|subject"),
}

APART: Final = words(
    "原価|利益|目標|予算|計画|前年|率|比|税|予測|target|forecast|plan|cost|profit|tax|rate"
)
"""A column that ends so is not what the word before it says: 売上原価 is no 売上."""

ROMANISED: Final[Mapping[str, str]] = {
    "hokkaido": "北海道",
    "aomori": "青森",
    "iwate": "岩手",
    "miyagi": "宮城",
    "akita": "秋田",
    "yamagata": "山形",
    "fukushima": "福島",
    "ibaraki": "茨城",
    "tochigi": "栃木",
    "gunma": "群馬",
    "saitama": "埼玉",
    "chiba": "千葉",
    "tokyo": "東京",
    "kanagawa": "神奈川",
    "niigata": "新潟",
    "toyama": "富山",
    "ishikawa": "石川",
    "fukui": "福井",
    "yamanashi": "山梨",
    "nagano": "長野",
    "gifu": "岐阜",
    "shizuoka": "静岡",
    "aichi": "愛知",
    "mie": "三重",
    "shiga": "滋賀",
    "kyoto": "京都",
    "osaka": "大阪",
    "hyogo": "兵庫",
    "nara": "奈良",
    "wakayama": "和歌山",
    "tottori": "鳥取",
    "shimane": "島根",
    "okayama": "岡山",
    "hiroshima": "広島",
    "yamaguchi": "山口",
    "tokushima": "徳島",
    "kagawa": "香川",
    "ehime": "愛媛",
    "kochi": "高知",
    "fukuoka": "福岡",
    "saga": "佐賀",
    "nagasaki": "長崎",
    "kumamoto": "熊本",
    "oita": "大分",
    "miyazaki": "宮崎",
    "kagoshima": "鹿児島",
    "okinawa": "沖縄",
    "sapporo": "札幌",
    "sendai": "仙台",
    "yokohama": "横浜",
    "kawasaki": "川崎",
    "nagoya": "名古屋",
    "kobe": "神戸",
    "kitakyushu": "北九州",
    "hamamatsu": "浜松",
    "kanazawa": "金沢",
    "hakata": "博多",
    "tenjin": "天神",
    "umeda": "梅田",
    "namba": "難波",
    "shinsaibashi": "心斎橋",
    "shinjuku": "新宿",
    "shibuya": "渋谷",
    "ikebukuro": "池袋",
    "ueno": "上野",
    "ginza": "銀座",
    "shinagawa": "品川",
    "akihabara": "秋葉原",
    "roppongi": "六本木",
    "nihonbashi": "日本橋",
    "meguro": "目黒",
    "nakano": "中野",
    "kichijoji": "吉祥寺",
    "tachikawa": "立川",
    "machida": "町田",
    "hachioji": "八王子",
    "omiya": "大宮",
    "kita": "北",
    "asakusa": "浅草",
    "kanto": "関東",
    "kansai": "関西",
    "kinki": "近畿",
    "chubu": "中部",
    "tohoku": "東北",
    "kyushu": "九州",
    "chugoku": "中国",
    "shikoku": "四国",
    "tokai": "東海",
    "hokuriku": "北陸",
    "koshinetsu": "甲信越",
    "japan": "日本",
}

VALUES: Final[tuple[tuple[str, ...], ...]] = (
    words("男性|男|男子|male|males|men|man"),
    words("女性|女|女子|female|females|women|woman"),
    words("食品|食料品|food|foods|groceries"),
    words("飲料|飲み物|ドリンク|beverage|beverages|drinks"),
    words("菓子|お菓子|sweets|snacks|confectionery"),
    words("家電|電化製品|electronics|home appliances|appliances"),
    words("衣料品|衣料|衣類|clothing|clothes|apparel"),
    words("日用品|生活用品|雑貨|daily goods|household goods|daily necessities|household items"),
    words("文具|文房具|stationery"),
    words("家具|furniture"),
    words("書籍|本|books"),
    words("玩具|おもちゃ|toys"),
    words("化粧品|コスメ|cosmetics"),
    words("交通費|旅費交通費|travel|travel expenses|transportation|transport"),
    words("会議費|meeting|meeting expenses|meetings"),
    words("交際費|接待交際費|entertainment|entertainment expenses"),
    words("消耗品費|消耗品|supplies|consumables"),
    words("通信費|communication|communications"),
    words("宿泊費|宿泊|lodging|accommodation|hotel"),
    words("営業部|営業|営業課|sales department|sales dept|sales team"),
    words("人事部|人事|hr|human resources"),
    words("総務部|総務|general affairs|administration"),
    words("経理部|経理|accounting"),
    words("開発部|開発|development|development department|engineering"),
    words("製造部|製造|manufacturing"),
    words("企画部|企画|planning"),
    words("マーケティング部|マーケティング|marketing"),
    words("情報システム部|情報システム|情シス|it|it department"),
    words("正社員|full-time|full time|permanent"),
    words("契約社員|contract|contract employees"),
    words("パート|アルバイト|パート・アルバイト|part-time|part time"),
    words("完了|済|完了済み|completed|complete|done|closed|resolved"),
    words("未完了|未対応|open|incomplete|pending"),
    words("対応中|in progress|処理中"),
    words("承認|承認済み|承認済|approved"),
    words("却下|差戻し|差し戻し|rejected"),
    words("申請中|承認待ち|pending approval"),
    words("キャンセル|取消|取り消し|cancelled|canceled|cancellation"),
    words("返品|returned|returns"),
    words("成約|受注|成約済み|won|win|wins"),
    words("失注|lost|loss|losses"),
    words("現金|cash"),
    words("クレジットカード|クレジット|カード|credit card|card"),
    words("オンライン|ネット|通販|online|ec"),
    words("本社|head office|headquarters"),
    words("早番|日勤|day shift|early shift"),
    words("夜勤|遅番|night shift|late shift"),
    words("はい|有|あり|yes"),
    words("いいえ|無|なし|no"),
    words("高|high"),
    words("中|medium"),
    words("低|low"),
)

SUFFIXES: Final = words(
    "支店|店舗|店|支社|本社|営業所|事業所|工場|倉庫|センター|事業部|本部|部|課|"
    "都|道|府|県|市|区|町|村|地方|地区|エリア|支部|様|株式会社"
)
"""Which people leave out of a name: 新宿 for 新宿店."""


EVERYDAY: Final = frozenset(
    words(
        "a|about|across|add|after|against|all|also|amount|an|and|any|april|are|as|"
        "asc|ascending|at|august|average|avg|axis|bar|bars|be|best|between|bin|bins|"
        "bottom|box|broken|but|by|can|categorized|chart|charts|classified|color|"
        "colored|colour|column|columns|compare|compared|correlation|correlations|"
        "count|counts|create|data|dataset|date|day|days|december|desc|descending|"
        "describe|deviation|did|different|display|distinct|distribution|do|does|down|"
        "draw|duplicates|each|every|except|excluding|february|find|first|for|"
        "forecast|from|generate|get|give|graph|greater|group|grouped|had|has|have|"
        "help|high|higher|highest|histogram|how|i|in|into|is|it|its|january|july|"
        "june|just|know|larger|largest|last|least|less|like|line|list|low|lower|"
        "lowest|make|many|march|mark|max|maximum|may|me|mean|median|min|minimum|"
        "missing|month|monthly|months|more|most|much|my|need|no|not|november|number|"
        "numbers|october|of|on|one|only|or|order|out|outliers|over|overview|"
        "partitioned|per|percent|percentage|pie|please|plot|plots|points|predict|"
        "quarter|question|ratio|record|records|relation|relationship|render|report|"
        "row|rows|scatter|scatterplot|segmented|select|separate|september|series|"
        "share|show|showing|small|smaller|sort|sorted|split|stacked|standard|"
        "statistics|sum|summary|table|than|that|the|their|them|there|these|this|"
        "those|through|time|times|to|top|total|totals|trend|under|unique|up|use|"
        "value|values|variable|vary|versus|view|visualization|visualize|vs|want|was|"
        "we|week|weekday|weekend|were|what|when|where|which|while|who|why|will|with|"
        "without|x|y|year|yearly|years|you|your"
    )
)

LONE_WORDS: Final = frozenset(words("a|an|and|as|at|by|for|from|in|is|of|on|or|the|to|with"))
"""That never name a column when they stand alone."""
